import { below, type Json, membersOf } from './names.ts'

/** Headers whose values are not compared, with the reason. */
const headers: Readonly<Record<string, string>> = {
  date: 'real time',
}

/** Location in replies whose value is not compared. */
interface Uncompared {
  /** Operations whose replies have the location; all operations if absent. */
  readonly operation?: RegExp
  /** JSON pointer of the location, with `*` for array positions. */
  readonly place: RegExp
  /** Pattern of the texts to skip; all if absent. */
  readonly text?: RegExp
  readonly reason: string
}

/** Locations whose values differ between two runs of one build. */
const places: readonly Uncompared[] = [
  {
    operation: /^secrets orchCreateCredentials$/,
    place: /^\/data\/service_account_token$/,
    reason: 'signed with an RSA key that is drawn when the first token is made',
  },
  {
    operation: /^secrets createDrSecondaryToken$/,
    place: /^\/wrap_info\/token$/,
    reason: 'an ECDSA signature, which draws a number',
  },
  {
    place: /\/merkle_root$/,
    reason: 'a digest of all rows, with keys that are drawn',
  },
  {
    operation: /^secrets transit/,
    place: /\/ciphertext$/,
    text: /^\w+:v\d+:([\w+/=]{344}|[\w+/=]{512}|[\w+/=]{684})$/,
    reason: 'RSA encryption draws its padding; the lengths are those of 2048, 3072 and 4096 bits',
  },
]

/** Pattern of random member names: fingerprints of the cloud's RSA keys. */
const drawnName = /^[0-9a-f]{2}(:[0-9a-f]{2}){15}$/

/** Returns the name of a member, or a placeholder if it is random. */
export const comparedName = (name: string): string =>
  drawnName.test(name) ? '(fingerprint)' : name

export const isUncomparedHeader = (name: string): boolean => name.toLowerCase() in headers

/**
 * Returns a copy in which uncompared values are replaced by placeholders, and whether there are
 * any.
 */
export function withoutUncompared(
  operation: string | undefined,
  body: Json,
): { readonly value: Json; readonly skipped: boolean } {
  const known = places.filter((each) => each.operation?.test(operation ?? '') ?? true)
  let skipped = false
  const walk = (value: Json, place: string): Json => {
    if (typeof value !== 'object' || value === null) {
      const isUncompared = known.some(
        (each) => each.place.test(place) && (each.text?.test(String(value)) ?? true),
      )
      skipped ||= isUncompared
      return isUncompared ? '(not compared)' : value
    }
    if (Array.isArray(value)) return value.map((item) => walk(item, `${place}/*`))
    return Object.fromEntries(
      membersOf(value).map(([name, member]) => [name, walk(member, below(place, value, name))]),
    )
  }
  if (known.length === 0 || body === undefined) return { value: body, skipped: false }
  const value = walk(body, '')
  return { value, skipped }
}
