// The pages by their address, and the sidebar as the navigation file wants it.
import { docs } from "@/.source/server";
import { loader } from "fumadocs-core/source";
import navigation from "@/content/apis/_meta.json";
import { tree } from "@/lib/navigation";

export const source = loader({ baseUrl: "/docs", source: docs.toFumadocsSource() });

export const sidebar = tree(navigation, "apis", source);
