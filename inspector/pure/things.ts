/** A row of a table, as a state document has it. */
export type StateRow = Readonly<Record<string, unknown>>

/** One service's part of a state document. */
export interface ServiceState {
  readonly tables: Readonly<Record<string, Readonly<Record<string, StateRow>>>>
}

/** A row with its place. */
export interface PlacedRow {
  readonly table: string
  readonly key: string
  readonly row: StateRow
}

/** Something that a service holds: a row, with those that belong to it. */
export interface Thing extends PlacedRow {
  /** Table and key: its name in addresses. */
  readonly id: string
  /** What it is called, for people. */
  readonly title: string
  /** Its versions, newest first, where it has some. */
  readonly versions: readonly PlacedRow[]
}

/** Things of one kind. */
export interface ThingGroup {
  readonly table: string
  readonly title: string
  readonly things: readonly Thing[]
}

/** Tables whose rows are shown as versions of the rows of another. */
const versionTables: Readonly<Record<string, string>> = {
  'secrets.kv2-data': 'kv2-keys',
  'scheduler.job-versions': 'jobs',
}

/** What the more common tables are called; others by their own names. */
const titles: Readonly<Record<string, string>> = {
  'kv2-keys': 'secrets',
  'kv1-secrets': 'secrets (version 1)',
  'acl-tokens': 'tokens',
  'acl-policies': 'policies',
  'acl-roles': 'roles',
}

/** What people look for first, and what they hardly look for. */
const first = ['kv2-keys', 'kv1-secrets', 'policies', 'tokens', 'mounts', 'test-runs', 'jobs']
const last = ['indexes', 'server', 'seal', 'keyring', 'node', 'acl-facts', 'acl-bootstrap']

function rank(table: string): number {
  const at = first.indexOf(table)
  return at >= 0 ? at : last.includes(table) ? first.length + 1 : first.length
}

/** What a service holds, group by group; empty tables are left out. */
export function thingsOf(service: string, { tables }: ServiceState): readonly ThingGroup[] {
  return Object.entries(tables)
    .filter(([table]) => versionTables[`${service}.${table}`] === undefined)
    .map(([table, rows]) => {
      const versions = versionsFor(service, table, tables)
      const things = Object.entries(rows).map(([key, row]) => ({
        table,
        key,
        row,
        id: `${table} ${key}`,
        title: titleOf(service, table, key, row, tables),
        versions: versions.get(key) ?? [],
      }))
      things.sort((a, b) => (a.title < b.title ? -1 : 1))
      return { table, title: titles[table] ?? table.replaceAll('-', ' '), things }
    })
    .filter(({ things }) => things.length > 0)
    .sort((a, b) => rank(a.table) - rank(b.table))
}

/** Rows of the table of versions, by the keys of what they are versions of. */
function versionsFor(service: string, table: string, tables: ServiceState['tables']) {
  const found = new Map<string, PlacedRow[]>()
  const [name] =
    Object.entries(versionTables).find(
      ([versions, of]) => versions.startsWith(`${service}.`) && of === table,
    ) ?? []
  const versionTable = name?.slice(service.length + 1)
  if (versionTable === undefined) return found
  for (const [key, row] of Object.entries(tables[versionTable] ?? {})) {
    // The version stands behind the key and a character that parts the two.
    const owner = key.replace(/\W\d+$/, '')
    const known = found.get(owner) ?? []
    known.push({ table: versionTable, key, row })
    found.set(owner, known)
  }
  for (const rows of found.values()) rows.sort((a, b) => versionOf(b) - versionOf(a))
  return found
}

/** The number of a version, as its key has it. */
export function versionOf({ key }: PlacedRow): number {
  return Number(/\d+$/.exec(key)?.[0] ?? 0)
}

function titleOf(
  service: string,
  table: string,
  key: string,
  row: StateRow,
  tables: ServiceState['tables'],
): string {
  if (service === 'secrets' && table === 'kv2-keys') {
    const slash = key.indexOf('/')
    const mount = mountOf(key.slice(0, slash), tables)
    return mount === undefined ? key : mount + key.slice(slash + 1)
  }
  if (/tokens$/.test(table)) {
    const named = row['display_name'] ?? row['Name'] ?? row['description'] ?? row['Description']
    const accessor = row['accessor'] ?? row['accessor_id'] ?? row['AccessorID'] ?? row['id']
    return [named, accessor].filter(Boolean).join(' · ') || 'token'
  }
  if (table === 'test-runs') return [row['id'], row['status']].filter(Boolean).join(' · ') || key
  const name = row['Name'] ?? row['name'] ?? row['username']
  const isBare = /^[0-9a-f-]{36}$/.test(key)
  if (isBare && typeof name === 'string' && name !== '') return `${name} · ${key}`
  return key || table
}

/** Where a mount of an id is, as it stands in paths below `/v1`. */
export function mountOf(uuid: string, tables: ServiceState['tables']): string | undefined {
  const found = Object.entries(tables['mounts'] ?? {}).find(([, row]) => row['uuid'] === uuid)
  return found?.[0].replace(/^root\//, '')
}

/** The groups with those things in which all words of a text stand. */
export function searched(groups: readonly ThingGroup[], text: string): readonly ThingGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return groups
  return groups
    .map((group) => ({
      ...group,
      things: group.things.filter(({ title, key }) => {
        const said = `${group.title} ${title} ${key}`.toLowerCase()
        return words.every((word) => said.includes(word))
      }),
    }))
    .filter(({ things }) => things.length > 0)
}

/** Things as a fixtures document: exact rows, of versions too. */
export function fixturesOf(service: string, things: readonly Thing[]): object {
  const tables: Record<string, Record<string, StateRow>> = {}
  for (const { table, key, row, versions } of things) {
    for (const placed of [{ table, key, row }, ...versions]) {
      const rows = tables[placed.table] ?? {}
      rows[placed.key] = placed.row
      tables[placed.table] = rows
    }
  }
  return { [service]: { tables } }
}
