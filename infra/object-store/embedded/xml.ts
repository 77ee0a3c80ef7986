export const xmlHeader = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** An element of text (escaped) or of elements that were built before. */
export function xmlElement(name: string, content: string | readonly string[]): string {
  const inner = typeof content === 'string' ? escapeXml(content) : content.join('');
  return `<${name}>${inner}</${name}>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** XML 1.0 has no spelling for most control characters: they become U+FFFD. */
function escapeXml(text: string): string {
  return text
    .replace(/[\p{Cc}\ufffe\uffff]/gu, (character) => (character === '\n' ? '\n' : '\ufffd'))
    .replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
