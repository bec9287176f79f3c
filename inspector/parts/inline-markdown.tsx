/** Renders a line of Markdown: text with inline code. */
export function InlineMarkdown({ text }: { readonly text: string }) {
  const parts = text.matchAll(/`([^`]+)`|[^`]+|`/g)
  return (
    <>
      {[...parts].map(({ 0: whole, 1: code, index }) =>
        code === undefined ? whole : <code key={index}>{code}</code>,
      )}
    </>
  )
}
