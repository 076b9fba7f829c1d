/** Where the focus goes when what had it is not there any more. */
export function focusContentIfLost(): void {
  if (document.activeElement === null || document.activeElement === document.body)
    document.getElementById("content")?.focus({ preventScroll: true });
}
