/**
 * Text as a label of a Mermaid diagram, in quotes or not. Mermaid ends a statement at ; and reads # as the start of an entity, %% anywhere
 * as that of a directive or comment, < > & as HTML, a quotation mark as the end of a quoted label and a backtick as that of Markdown.
 * "wrap:" in front of a message is a setting. Brackets and the word "end" are safe in labels, and identifiers are never made of names.
 */
export function mermaidLabel(text: string): string {
  return text.replace(/[#;<>&"`]|%%/g, (found) => [...found].map(entity).join('')).replace(/^((?:no)?wrap):/, `$1${entity(':')}`);
}

/** Mermaid's spelling of a character's number: # in place of &#. */
function entity(char: string): string {
  return `#${char.codePointAt(0)};`;
}
