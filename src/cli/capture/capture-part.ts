import type { Field, Shape, StructShape } from '../../../state/kernel/shape/kinds.ts'
import { entriesOf, memberOf, omitEmpty, textAt } from './real-server.ts'
import { listKeys, readOrNote, type SecretsReader } from './secrets-reader.ts'

/** Part of a fixtures document: the shape of its members, and the API path of each member. */
export interface FixturePart {
  readonly fixture: StructShape<object, unknown>
  readonly paths: Readonly<Record<string, string>>
}

/** Names of the members that hold secrets. Servers never return most of these members. */
export const secretMembers: ReadonlySet<string> = new Set([
  ...['api_token', 'bindpass', 'client_secret', 'client_tls_key', 'oidc_client_secret'],
  ...['password', 'private_key', 'service_account_json', 'tls_certificate_key'],
])

/**
 * Returns the members of a reply that the fixture's shape allows, without nulls. Secrets are left
 * out unless values are captured. If the shape is not an object, returns the text of the reply's
 * member `value`.
 */
export function membersIn(
  shape: Shape,
  data: unknown,
  { includesValues }: Pick<SecretsReader, 'includesValues'>,
): unknown {
  // The fixture of some groups and users is only a list of policies, which servers return as the
  // text `value`.
  if (shape.kind !== 'struct') return textAt(data, 'value')
  const isKept = (name: string) =>
    (Object.hasOwn(shape.fields, name) || shape.others !== undefined) &&
    (includesValues || !secretMembers.has(name))
  const members = entriesOf(data).filter(([name, value]) => isKept(name) && value !== null)
  return Object.fromEntries(members)
}

/**
 * Returns settings without empty texts, which stand for defaults. Returns an empty object if every
 * setting is empty.
 */
function settingsIn(members: unknown): Record<string, unknown> {
  if (Object.keys(omitEmpty(members)).length === 0) return {}
  return Object.fromEntries(entriesOf(members).filter(([, value]) => value !== ''))
}

/**
 * Captures one part. The paths of the part are relative to `base`, which ends with a slash. If the
 * server rejects the request for an item, the item is left out with a note. Throws if the fixture
 * has no member for a path.
 */
export async function capturePart(
  reader: SecretsReader,
  { fixture, paths }: FixturePart,
  base: string,
): Promise<Readonly<Record<string, Record<string, unknown>>>> {
  const captured: Record<string, Record<string, unknown>> = {}
  const read = async (shape: Shape, path: string) =>
    membersIn(shape, memberOf(await readOrNote(reader, path), 'data'), reader)
  for (const [member, path] of Object.entries(paths)) {
    const field = (fixture.fields as Readonly<Record<string, Field>>)[member]
    if (field === undefined) throw new Error(`fixtures have no ${member}`)
    const { shape } = field
    if (shape.kind !== 'map') {
      captured[member] = settingsIn(await read(shape, base + path))
      continue
    }
    const items: Record<string, unknown> = {}
    for (const name of await listKeys(reader, base + path)) {
      const item = await read(shape.of, `${base}${path}/${name}`)
      // Items that could not be read are empty.
      if (item !== '' && Object.keys(Object(item)).length > 0) items[name] = item
    }
    captured[member] = items
  }
  return captured
}

/** Captured part: for each member of the fixture, its settings, or its items by name. */
export type CapturedPart = Awaited<ReturnType<typeof capturePart>>

/** Returns the items by name, with `change` applied to each item. */
export function mapItems(
  items: Readonly<Record<string, unknown>> = {},
  change: (item: Record<string, unknown>, name: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    entriesOf(items).map(([name, item]) => [name, change(item as Record<string, unknown>, name)]),
  )
}
