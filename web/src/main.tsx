import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "@/shell/App";
import { leaveHash } from "@/shell/hash";
import { applyTheme } from "@/shell/theme";
import "@/theme.css";
import "@/parts/parts.css";
import "@/parts/text.css";

applyTheme();
leaveHash();
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
