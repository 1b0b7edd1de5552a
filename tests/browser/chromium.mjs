// The browser that tests drive: Debian's Chromium, or what PLIMSOLL_CHROMIUM names, asked to leave the network alone.
import { chromium } from "playwright-core";

export function launch() {
  return chromium.launch({
    executablePath: process.env.PLIMSOLL_CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}
