import { DocsLayout } from "fumadocs-ui/layouts/docs";
import { sidebar } from "@/lib/source";

export default function Layout({ children }) {
  return (
    <DocsLayout tree={sidebar} nav={{ title: "Docs", url: "/docs/apis/introduction" }} sidebar={{ prefetch: false }}>
      {children}
    </DocsLayout>
  );
}
