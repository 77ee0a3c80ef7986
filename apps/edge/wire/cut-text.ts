/** By characters, not by their halves: half of a surrogate pair can be stored nowhere. */
export function cutText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  return [...text.slice(0, 2 * charactersMax)].slice(0, charactersMax).join('');
}
