/** Length in UTF-16 code units above which a secret is searched for only verbatim and in JSON. */
const maxEncodedLength = 64 * 1024

/**
 * Returns the spellings in which a secret may occur in a text: verbatim, in JSON, in URLs, in hex
 * and in base64. Within a longer text that is encoded as base64, the secret has one of three
 * spellings, depending on its position.
 */
export function spellingsOf(secret: string): ReadonlySet<string> {
  const json = jsonSpelling(secret)
  const spellings = new Set([secret, json, jsonSpelling(json), escapeHtmlInJson(json)])
  if (secret.length > maxEncodedLength) return spellings
  const url = encodeUrl(secret)
  spellings.add(url)
  spellings.add(url.replaceAll('%20', '+'))
  spellings.add(url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  spellings.add(hex)
  spellings.add(hex.toUpperCase())
  spellings.add(bytes.toString('base64'))
  for (const offset of [0, 1, 2]) {
    const part = base64Part(bytes, offset)
    spellings.add(part)
    spellings.add(part.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return spellings
}

function jsonSpelling(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/**
 * Escapes the characters of JSON text that Go's encoder escapes: `<`, `>`, `&` and the line
 * separators U+2028 and U+2029.
 */
function escapeHtmlInJson(json: string): string {
  return json.replaceAll(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

function encodeUrl(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString())
}

/**
 * Returns those characters of a base64 text that depend only on `bytes`. In the encoded text,
 * `offset` other bytes precede them.
 */
function base64Part(bytes: Buffer, offset: number): string {
  const start = Math.ceil((offset * 8) / 6)
  const end = Math.floor(((offset + bytes.length) * 8) / 6)
  return Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .slice(start, end)
}

/**
 * Returns the texts that a secret contains in encoded form: the strings in the secret if it is a
 * JSON document, and the decoded text if it is base64.
 */
export function textsWithin(secret: string): readonly string[] {
  return [...jsonTexts(secret), ...decodeBase64Secret(secret)]
}

function jsonTexts(secret: string): readonly string[] {
  if (!/^\s*[[{]/.test(secret)) return []
  const texts: string[] = []
  try {
    JSON.parse(secret, (_name, value: unknown) => {
      if (typeof value === 'string') texts.push(value)
      return value
    })
  } catch {
    return []
  }
  return texts
}

function decodeBase64Secret(secret: string): readonly string[] {
  if (secret.length % 4 !== 0 || !/^[\w+/-]+={0,2}$/.test(secret)) return []
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(secret, 'base64'))
    return /\p{Cc}/u.test(text.replaceAll(/[\n\r\t]/g, '')) ? [] : [text]
  } catch {
    return []
  }
}
