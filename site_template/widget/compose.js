// Enter sends, except while an input method is composing: then it only confirms the candidate. Browsers differ in what
// they say at that moment (isComposing, keyCode 229, a compositionend just before or just after), so all are heard. A key
// that is held down sends once.

export function sendOnEnter(field, send) {
  let composing = false;
  field.addEventListener("compositionstart", () => (composing = true));
  field.addEventListener("compositionend", () => setTimeout(() => (composing = false)));
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.altKey) return;
    if (composing || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    if (!event.repeat) send(event);
  });
  return () => composing;
}
