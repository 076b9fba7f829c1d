import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "@/shell/App";
import { applyTheme } from "@/shell/theme";
import "@/theme.css";
import "@/parts/parts.css";

// Dialogs add a style while they keep the page from scrolling; the policy of the page lets in only what has its nonce.
setNonce(document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "");
applyTheme();
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
