/**
 * Length below which a body is not checked, in bytes or, for a string, in characters. Values in
 * key-value stores are always shorter, so writes of such values skip the check.
 */
const minCheckedLength = 640 * 1024

/**
 * Maximum number of values in a body of at least `minCheckedLength`, and maximum number of fields
 * in a form.
 */
const maxValues = 50_000

const [comma, quote, backslash, brace, bracket] = [...',"\\{['].map((each) => each.charCodeAt(0))

const isSpace = (code: number | undefined) =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/**
 * Returns true if a body has at least `minCheckedLength` and is JSON with more values than a
 * request may have. Processing all values would keep other requests waiting too long
 * (behaviour/program#bounds). The function counts the commas between values instead of parsing the
 * body.
 */
export function hasTooManyValues(body: string | Uint8Array): boolean {
  if (body.length < minCheckedLength) return false
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  let at = 0
  while (isSpace(bytes[at])) at += 1
  if (bytes[at] !== brace && bytes[at] !== bracket) return false
  let values = 1
  for (let inString = false; at < bytes.length; at += 1) {
    const code = bytes[at]
    if (inString && code === backslash) at += 1
    else if (code === quote) inString = !inString
    else if (code === comma && !inString && ++values > maxValues) return true
  }
  return false
}

/** Returns true if a form has more fields, separated by `&`, than a request may have. */
export function hasTooManyFields(form: string): boolean {
  let fields = 1
  for (let at = form.indexOf('&'); at >= 0; at = form.indexOf('&', at + 1)) {
    if (++fields > maxValues) return true
  }
  return false
}

/** Returns the error that Fastify throws for a body that is too large. */
export function tooManyValuesError(): Error {
  return Object.assign(new Error('Request body is too large'), {
    code: 'FST_ERR_CTP_BODY_TOO_LARGE',
    statusCode: 413,
  })
}
