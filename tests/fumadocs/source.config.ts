// What Fumadocs reads, and what front matter may hold.
import { defineConfig, defineDocs, frontmatterSchema, metaSchema } from "fumadocs-mdx/config";
import { z } from "zod";

export const docs = defineDocs({
  dir: "content",
  docs: { schema: frontmatterSchema.extend({ sidebar_label: z.string().optional() }) },
  // Fumadocs takes every JSON file for navigation if it is not told otherwise, an output.json too.
  meta: { schema: metaSchema, files: ["**/meta.json"] },
});

export default defineConfig();
