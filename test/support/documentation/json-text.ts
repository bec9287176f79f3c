/** Line width of the README's replies, in characters. */
const width = 96

/** Formats JSON, with line breaks only where a value does not fit into one line. */
export function formatJson(value: unknown, indent = ''): string {
  const line = inOneLine(value)
  if (typeof value !== 'object' || value === null || indent.length + line.length <= width) {
    return line
  }
  const deeper = `${indent}  `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const members = Array.isArray(value)
    ? value.map((item) => formatJson(item, deeper))
    : Object.entries(value).map(
        ([key, item]) => `${JSON.stringify(key)}: ${formatJson(item, deeper)}`,
      )
  return `${open}\n${deeper}${members.join(`,\n${deeper}`)}\n${indent}${close}`
}

function inOneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(', ')}]`
  const members = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}: ${inOneLine(item)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
