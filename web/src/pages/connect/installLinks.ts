/** Opens a program that asks its user whether to add the server. */
export interface InstallLink {
  label: string;
  href: string;
}

/** `server` is an entry of Cursor's file. The link may be copied and kept: it must hold no secret. */
export function cursorLink(name: string, server: object): InstallLink {
  const config = encodeURIComponent(base64(JSON.stringify(server)));
  return {
    label: "Add to Cursor",
    href: `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${config}`,
  };
}

/** `inputs` is what VS Code asks its user for. */
export function vscodeLink(name: string, server: object, inputs: readonly object[]): InstallLink {
  const prompts = inputs.length > 0 ? { inputs } : {};
  return {
    label: "Add to VS Code",
    href: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, ...prompts, ...server }))}`,
  };
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
