import { promisify } from 'node:util'
import { gzip, gzipSync } from 'node:zlib'
import { parseJsonInParts } from '../../json/long-json.ts'
import { memoizeByKey } from '../../kernel/memoize.ts'
import { forEachPiece, type InParts } from '../../kernel/parts.ts'
import type { JsonSchema } from '../../kernel/schema.ts'
import type { Row } from '../../kernel/store/table.ts'
import { duplicates } from '../../kernel/store/table-index.ts'
import { exportTables, loadTables } from '../../kernel/worlds/document.ts'
import type { ServiceDefinition } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { meshName } from '../indexes.ts'
import { refuse } from '../messages.ts'
import { restoreServer, serverAddress, serverOf, serverPort } from '../server.ts'
import { packSnapshot, unpackSnapshot } from './snapshot-format.ts'

/** A pending job of the mesh, which is due at the instant `at`. */
interface SnapshotJob {
  readonly at: number
  readonly job: string
  readonly id: string
}

/** Content of an archive: the state of the mesh. */
interface SnapshotContent {
  readonly index: number
  readonly tables: Readonly<Record<string, Readonly<Record<string, Row>>>>
  readonly jobs: readonly SnapshotJob[]
}

function meshServiceOf(world: World): ServiceDefinition {
  const service = world.services.find(({ name }) => name === meshName)
  if (service === undefined) throw new Error('the world has no mesh')
  return service
}

const gzipInThread = promisify<Buffer, Buffer>(gzip)

/** Returns a compressed archive with the state of the mesh (behaviour/mesh#snapshot). */
export function saveSnapshot(world: World): Buffer {
  const index = world.store.index(meshName)
  const source = {
    ...{ index, at: world.clock.now(), serverId: serverOf(world).node_id },
    serverAddress: `${serverAddress}:${serverPort}`,
  }
  const text = world.inParts(() => formatContent(world, index))
  const archive = world.part(() => packSnapshot(source, Buffer.from(text)))
  return world.part(
    () => gzipSync(archive),
    () => gzipInThread(archive),
  )
}

/** Formats the state of the mesh as JSON, with pauses. */
function* formatContent(world: World, index: number): InParts<string> {
  const service = meshServiceOf(world)
  const tables: string[] = []
  for (const table of service.tables) {
    const { [table.name]: rows = [] } = exportTables(world, [table], (all) => [...all()])
    const chunks: string[] = []
    yield* forEachPiece(rows, (piece) => {
      const members = piece.map(([key, row]) => `${JSON.stringify(key)}:${JSON.stringify(row)}`)
      chunks.push(members.join(','))
    })
    tables.push(`${JSON.stringify(table.name)}:{${chunks.join(',')}}`)
  }
  const jobs = [...world.agenda.all()].filter(({ job }) => Object.hasOwn(service.jobs, job))
  return `{"index":${index},"tables":{${tables.join(',')}},"jobs":${JSON.stringify(jobs)}}`
}

/**
 * Returns the schema of an archive's content. The schema does not validate the rows of the tables.
 */
const contentSchema = memoizeByKey(({ tables, jobs }: ServiceDefinition): JsonSchema => {
  return {
    type: 'object',
    required: ['index', 'tables', 'jobs'],
    properties: {
      index: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      tables: {
        type: 'object',
        additionalProperties: false,
        properties: Object.fromEntries(tables.map(({ name }) => [name, { type: 'object' }])),
      },
      jobs: {
        type: 'array',
        items: {
          type: 'object',
          required: ['at', 'job', 'id'],
          properties: {
            at: { type: 'number' },
            job: { enum: Object.keys(jobs) },
            id: { type: 'string' },
          },
        },
      },
    },
  }
})

/** Validator of JSON values against schemas. */
interface SchemaChecks {
  /** Compiles a schema ahead of `matches`, with pauses if the schema is long. */
  prepare(schema: JsonSchema): InParts<void>
  matches(schema: JsonSchema, value: unknown): boolean
}

/**
 * Replaces the state of the mesh, including its indexes, with the state in an archive
 * (behaviour/mesh#snapshot). Throws a refusal for bytes that are not an archive of this server.
 * After the commit, the caller must wake the blocking reads.
 */
export function restoreSnapshot(world: World, archive: Buffer, checks: SchemaChecks): void {
  const content = world.inParts(() => readContent(world, archive, checks))
  const before = world.store.index(meshName)
  try {
    world.write(() => {
      world.inParts(() => writeContent(world, content), 'kept')
      // A rollback does not restore the index, so the index is set only after the last pause. The
      // commit then raises the index by 1 to the index of the archive.
      world.store.setIndex(meshName, content.index - 1)
      restoreServer(world)
    })
  } catch (error) {
    world.store.setIndex(meshName, before)
    throw error
  }
}

/**
 * Replaces the rows and the jobs of the mesh with the rows and the jobs of an archive, with pauses.
 */
function* writeContent(world: World, { tables, jobs }: SnapshotContent): InParts<void> {
  const service = meshServiceOf(world)
  const complete = Object.fromEntries(service.tables.map(({ name }) => [name, {}]))
  yield* loadTables(world, service.tables, { ...complete, ...tables })
  for (const { job, id } of [...world.agenda.all()]) {
    if (Object.hasOwn(service.jobs, job)) world.agenda.cancel(job, id)
  }
  yield
  for (const { at, job, id } of jobs) {
    world.agenda.schedule({ at, job, id })
    yield
  }
}

/**
 * Reads an archive, with pauses. Throws a refusal if this server cannot have written the archive,
 * if a row is invalid, or if a unique index would have duplicate keys.
 */
function* readContent(
  world: World,
  archive: Buffer,
  checks: SchemaChecks,
): InParts<SnapshotContent> {
  const bytes = unpackSnapshot(archive)
  yield
  const parsed = yield* parseContent(bytes)
  yield
  const service = meshServiceOf(world)
  yield* checks.prepare(contentSchema(service))
  if (!checks.matches(contentSchema(service), parsed)) throw refuse('snapshot-foreign')
  // The cast is safe: the content matches its schema. Each table's rows are checked below.
  const content = parsed as SnapshotContent
  for (const table of service.tables) {
    const rows = Object.entries(content.tables[table.name] ?? {})
    if (rows.length > 0) yield* checks.prepare(table.schema)
    yield* forEachPiece(rows, (piece) => {
      const isValid = piece.every(([, row]) => checks.matches(table.schema, row))
      if (!isValid) throw refuse('snapshot-foreign')
    })
    // An archive of this server never contains two rows with the same key in a unique index.
    const repeatedRows = yield* duplicates(table, rows)
    if (repeatedRows.length > 0) throw refuse('snapshot-foreign')
  }
  return content
}

function* parseContent(bytes: Buffer): InParts<unknown> {
  try {
    return yield* parseJsonInParts(bytes)
  } catch {
    throw refuse('snapshot-foreign')
  }
}
