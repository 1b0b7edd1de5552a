import { RootProvider } from "fumadocs-ui/provider/next";
import "fumadocs-ui/style.css";

export default function Layout({ children }) {
  return (
    <html lang="en" suppressHydrationWarning>
      <body>
        <RootProvider search={{ enabled: false }}>{children}</RootProvider>
      </body>
    </html>
  );
}
