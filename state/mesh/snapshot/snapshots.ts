import { memoizeByKey } from '../../kernel/memoize.ts'
import type { JsonSchema } from '../../kernel/schema.ts'
import type { Row } from '../../kernel/store/table.ts'
import { exportService, loadServiceTables } from '../../kernel/worlds/document.ts'
import type { ServiceDefinition } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { meshName } from '../indexes.ts'
import { refuse } from '../messages.ts'
import { restoreServer, serverAddress, serverOf, serverPort } from '../server.ts'
import { packSnapshot, unpackSnapshot } from './snapshot-format.ts'

/** A job of the mesh that is due later. */
interface SnapshotJob {
  readonly at: number
  readonly job: string
  readonly id: string
}

/** The state of the mesh: the content of an archive. */
export interface SnapshotContent {
  readonly index: number
  readonly tables: Readonly<Record<string, Readonly<Record<string, Row>>>>
  readonly jobs: readonly SnapshotJob[]
}

function meshOf(world: World): ServiceDefinition {
  const service = world.services.find(({ name }) => name === meshName)
  if (service === undefined) throw new Error('the world has no mesh')
  return service
}

/** Returns an archive with the state of the mesh (behaviour/mesh#snapshot). */
export function saveSnapshot(world: World): Buffer {
  const service = meshOf(world)
  const index = world.store.index(meshName)
  const jobs = [...world.agenda.all()].filter(({ job }) => Object.hasOwn(service.jobs, job))
  const content = { index, ...exportService(world, service), jobs }
  const source = {
    ...{ index, at: world.clock.now(), serverId: serverOf(world).node_id },
    serverAddress: `${serverAddress}:${serverPort}`,
  }
  return packSnapshot(source, Buffer.from(JSON.stringify(content)))
}

/** Returns the schema of the content of an archive: the tables and jobs of the mesh of a world. */
export function snapshotSchema(world: World): JsonSchema {
  return contentSchema(meshOf(world))
}

const contentSchema = memoizeByKey(({ tables, jobs }: ServiceDefinition): JsonSchema => {
  return {
    type: 'object',
    required: ['index', 'tables', 'jobs'],
    properties: {
      index: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      tables: {
        type: 'object',
        additionalProperties: false,
        properties: Object.fromEntries(
          tables.map(({ name, schema }) => [
            name,
            { type: 'object', additionalProperties: schema },
          ]),
        ),
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

/**
 * Replaces the state of the mesh by that of an archive, indexes included (behaviour/mesh#snapshot).
 * Throws a refusal for bytes that are no archive of this server. The caller wakes the waiting reads
 * once the transaction is committed.
 *
 * @param isValid returns whether a content matches `snapshotSchema`
 */
export function restoreSnapshot(
  world: World,
  archive: Buffer,
  isValid: (content: unknown) => content is SnapshotContent,
): void {
  const content = parseContent(unpackSnapshot(archive))
  if (!isValid(content)) throw refuse('snapshot-foreign')
  const service = meshOf(world)
  const before = world.store.index(meshName)
  const complete = Object.fromEntries(service.tables.map(({ name }) => [name, {}]))
  try {
    world.write(() => {
      // The commit of the transaction adds the last step.
      world.store.startIndex(meshName, content.index - 1)
      const tables = { ...complete, ...content.tables }
      world.store.writeAsIs(() => loadServiceTables(world, service, tables))
      for (const { job, id } of [...world.agenda.all()]) {
        if (Object.hasOwn(service.jobs, job)) world.agenda.cancel(job, id)
      }
      for (const { at, job, id } of content.jobs) world.agenda.schedule({ at, job, id })
      restoreServer(world)
    })
  } catch (error) {
    world.store.startIndex(meshName, before)
    throw error
  }
}

function parseContent(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw refuse('snapshot-foreign')
  }
}
