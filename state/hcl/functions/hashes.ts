import { createHash } from 'node:crypto'
import { quoteGo } from '../../go/text.ts'
import { FunctionError, type HclFunction } from '../language/function.ts'
import { type FunctionTable, textFunction, textsFunction } from './arguments.ts'

/** Functions that compute digests and UUIDs (behaviour/scheduler#functions). */
export const hashFunctions: FunctionTable = {
  md5: digestFunction('md5'),
  sha1: digestFunction('sha1'),
  sha256: digestFunction('sha256'),
  sha512: digestFunction('sha512'),
  uuidv4: { parameters: [], run: (_, { uuid }) => uuid() },
  uuidv5: textsFunction(['namespace', 'name'], ([namespace = '', name = ''], { spend }) => {
    spend(name.length)
    return nameBasedUuid(namespaceOf(namespace), name)
  }),
}

/** Returns a function that computes a digest of a string, in hexadecimal digits. */
function digestFunction(algorithm: string): HclFunction {
  return textFunction('str', (text, { spend }) => {
    spend(text.length)
    return createHash(algorithm).update(text).digest('hex')
  })
}

/** The namespaces of RFC 4122, appendix C, by the product's names for them. */
const namespaces: ReadonlyMap<string, string> = new Map([
  ['dns', '6ba7b8109dad11d180b400c04fd430c8'],
  ['url', '6ba7b8119dad11d180b400c04fd430c8'],
  ['oid', '6ba7b8129dad11d180b400c04fd430c8'],
  ['x500', '6ba7b8149dad11d180b400c04fd430c8'],
])

/**
 * Returns the digits of a namespace: one of the known names, or a UUID in any of its four
 * spellings. Throws a FunctionError for other texts.
 */
function namespaceOf(text: string): string {
  const known = namespaces.get(text)
  if (known !== undefined) return known
  const refuse = (why: string): never => {
    throw new FunctionError(`uuidv5() doesn't support namespace ${text} (${why})`)
  }
  const size = Buffer.byteLength(text)
  if (![32, 36, 38, 45].includes(size)) return refuse(`invalid UUID length: ${size}`)
  if (size === 45 && !/^urn:uuid:/i.test(text)) {
    return refuse(`invalid urn prefix: ${quoteGo(text.slice(0, 9))}`)
  }
  const uuid = size === 45 ? text.slice(9) : size === 38 ? text.slice(1, 37) : text
  const form =
    size === 32
      ? /^[0-9a-f]{32}$/i
      : /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
  return form.test(uuid) ? uuid.replaceAll('-', '') : refuse('invalid UUID format')
}

/** Returns a UUID of version 5 (RFC 4122, section 4.3). */
function nameBasedUuid(namespace: string, name: string): string {
  const digest = createHash('sha1').update(Buffer.from(namespace, 'hex')).update(name).digest()
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x50, 6)
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8)
  return digest
    .toString('hex', 0, 16)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
