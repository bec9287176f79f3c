import { Refusal } from '../../../state/kernel/refusal.ts'
import { text } from '../../../state/kernel/shape/kinds.ts'
import { defer, mapResult } from '../../../state/kernel/worlds/deferred.ts'
import { callsOf } from '../../http/declare/control-call.ts'
import type { Operation } from '../../http/declare/operation.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import { metricsType } from '../../report/metrics.ts'
import { type ControlContext, operation, spec } from '../context.ts'
import { coverageQueryShape, coverageShape } from '../coverage.ts'
import { HttpProblem } from '../errors.ts'
import type { WorldControl } from './world-control.ts'
import { namedWorldShape, newWorldShape, worldListShape, worldShape } from './world-shapes.ts'

const call = callsOf((context: ControlContext) => context)

const metricsDeclaration = {
  spec: 'behaviour/program#events',
  reply: { 200: text },
  mediaType: 'text/plain',
} as const
const metricsHeaders = { headers: { 'content-type': metricsType } }

/** Returns the schema of a reply with one flag, which is always true. */
const flagSchema = (name: string) =>
  ({
    type: 'object',
    required: [name],
    additionalProperties: false,
    properties: { [name]: { const: true } },
  }) as const

function describeWorld(world: WorldControl, origin: string) {
  return { id: world.id, basePath: world.basePath, info: world.info(origin) }
}

/**
 * Operation that creates a world unless it exists. Of the operations at the path of a world, only
 * this one does not require that the world exists.
 */
export const provideWorld = operation({
  id: 'provideWorld',
  method: 'PUT',
  path: '/worlds/:world',
  summary: 'Create a world with this name; an existing world stays unchanged.',
  spec: 'behaviour/program#worlds-for-clients',
  body: namedWorldShape,
  reply: { 200: worldShape, 201: worldShape },
  run: ({ context, params, body }) =>
    mapResult(context.process.provide(params.world, body), ({ world, created }) => {
      const description = describeWorld(world, context.origin)
      return created ? answer(201, description, locationHeader(world)) : ok(description)
    }),
})

/** Returns the `Location` header of a reply about a new world. */
function locationHeader({ id }: WorldControl) {
  return { headers: { location: `/_mock/worlds/${id}` } }
}

/**
 * Returns the operations that are declared once instead of once per world: the operations on the
 * process, and the operations that list, create, describe, measure and delete worlds.
 * @param services names of the services
 */
export function processOperations(
  services: readonly string[],
): readonly Operation<ControlContext>[] {
  return [
    call({
      id: 'getHealth',
      route: 'GET /health',
      summary: 'Report whether the process is alive. Needs no token.',
      reply: flagSchema('healthy'),
      run: () => ({ healthy: true }),
    }),
    call({
      id: 'getReadiness',
      route: 'GET /ready',
      summary:
        'Report whether fixtures are loaded and all listeners are open; else 503. Needs no token.',
      reply: flagSchema('ready'),
      run: ({ ready }) => {
        if (!ready) throw new Refusal('unavailable', 'listeners are being opened or closed')
        return { ready: true }
      },
    }),
    call({
      id: 'getOpenApi',
      route: 'GET /openapi.json',
      summary: 'Return this description.',
      reply: { type: 'object' },
      run: (context) => context.openApi(),
    }),
    call({
      id: 'getServiceOpenApi',
      route: 'GET /openapi/:service',
      summary: 'Describe one API completely, in the dialect of the process.',
      reply: { type: 'object' },
      run: (context, { params: { service } }) => {
        const document = context.serviceOpenApi(service)
        if (document !== undefined) return document
        throw new HttpProblem(404, `there is no API called ${JSON.stringify(service)}`)
      },
    }),
    call({
      id: 'getCoverage',
      route: 'GET /coverage',
      summary:
        'List every operation with its evidence, and every choice that no specification makes.',
      query: coverageQueryShape(services),
      reply: coverageShape,
      run: (context, { query }) => context.coverage(query.service),
    }),
    operation({
      id: 'getMetrics',
      method: 'GET',
      path: '/metrics',
      summary:
        'Return the counters of requests, durations and faults in the Prometheus text format.',
      ...metricsDeclaration,
      run: ({ context }) =>
        defer(
          () => context.process.metrics(),
          (text) => answer(200, text, metricsHeaders),
        ),
    }),
    operation({
      id: 'getMetricsOfWorld',
      method: 'GET',
      path: '/worlds/:world/metrics',
      summary: 'Return the counters of one world in the Prometheus text format.',
      ...metricsDeclaration,
      run: ({ context }) =>
        defer(
          () => context.world.metrics(),
          (text) => answer(200, text, metricsHeaders),
        ),
    }),
    call({
      id: 'listWorlds',
      route: 'GET /worlds',
      summary: 'List all worlds, with their ages, dialects, clocks and numbers of requests.',
      reply: worldListShape,
      run: ({ process }) => ({ worlds: process.overview() }),
    }),
    operation({
      id: 'createWorld',
      method: 'POST',
      path: '/worlds',
      summary: 'Create a world: fresh, or from a snapshot or another world.',
      spec,
      body: newWorldShape,
      reply: { 201: worldShape },
      run: ({ context, body }) =>
        mapResult(context.process.make(body), (world) =>
          answer(201, describeWorld(world, context.origin), locationHeader(world)),
        ),
    }),
    call({
      id: 'getWorld',
      route: 'GET /worlds/:world',
      summary: 'Describe a world.',
      reply: worldShape,
      run: ({ world, origin }) => describeWorld(world, origin),
    }),
    provideWorld,
    call({
      id: 'deleteWorld',
      route: 'DELETE /worlds/:world',
      summary: 'Delete a world and its snapshots; the default world cannot be deleted.',
      run: ({ process, world }) => process.delete(world.id),
    }),
    operation({
      id: 'shutDown',
      method: 'POST',
      path: '/shutdown',
      summary: 'End the process after this request is answered; refused unless enabled.',
      spec,
      reply: { 202: flagSchema('stopping') },
      run: ({ context: { shutdown } }) => {
        if (shutdown === undefined) {
          throw new HttpProblem(403, 'shutdown is off; enable it with --allow-shutdown')
        }
        return answer(202, { stopping: true }, { afterSent: shutdown })
      },
    }),
  ]
}
