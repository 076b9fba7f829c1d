import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "@/shell/App";
import { applyTheme } from "@/shell/theme";
import "@/theme.css";
import "@/parts/parts.css";
import "@/parts/text.css";

applyTheme();
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
