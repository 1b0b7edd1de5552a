// Static files only, and nothing from the network: no fonts, no telemetry, no images to be made smaller.
import { createMDX } from "fumadocs-mdx/next";

/** @type {import('next').NextConfig} */
const config = { output: "export", experimental: { turbopackFileSystemCacheForBuild: true }, images: { unoptimized: true }, reactStrictMode: true };

export default createMDX()(config);
