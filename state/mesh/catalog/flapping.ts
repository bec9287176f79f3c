import { uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { JobHandler, TransitionKind } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { meshTable } from '../indexes.ts'
import { forceCheckState } from './check-states.ts'
import { type CatalogCheck, catalogChecks, keyPart } from './tables.ts'

/**
 * Services whose checks alternate between critical and passing, by name. The empty key stands for
 * every service.
 */
export const flappingServices = meshTable(
  'flapping-services',
  struct({
    /** Time between two changes in milliseconds. */
    interval: uint,
  }),
  { secrets: 'none', keepsIndex: true },
)

const flapJob = 'mesh.service-flap'

/**
 * Output of checks that flapping has made critical. Flapping makes only checks with this output
 * passing again.
 */
const flapOutput = 'The service flaps'

/** Returns the checks of all services with this name or, if the name is empty, of every service. */
function checksOf(world: World, service: string): readonly CatalogCheck[] {
  return [...world.table(catalogChecks).rows()].filter(({ service_id, service_name }) => {
    return service_id !== '' && (service === '' || service === service_name)
  })
}

function isFlapped({ status, output }: CatalogCheck): boolean {
  return status === 'critical' && output === flapOutput
}

/**
 * Makes all checks of a service critical, unless flapping has already made some of them critical.
 * In that case, makes only those checks passing again. Must run inside a transaction.
 *
 * @param mode `restore` to only make checks passing again
 */
function flap(world: World, service: string, mode: 'toggle' | 'restore'): void {
  const checks = checksOf(world, service)
  const isRestoring = mode === 'restore' || checks.some(isFlapped)
  const state = isRestoring
    ? { status: 'passing', output: '' }
    : { status: 'critical', output: flapOutput }
  for (const check of checks) {
    if (isRestoring ? isFlapped(check) : check.status !== 'critical') {
      forceCheckState(world, check, state)
    }
  }
}

function scheduleFlap(world: World, service: string, interval: number): void {
  const at = world.clock.now() + interval
  world.agenda.schedule({ at, job: flapJob, id: keyPart(service) })
}

/** Handler of the job that changes the checks of a flapping service. */
export const flapJobs: Readonly<Record<string, JobHandler>> = {
  [flapJob]: (world, { id }) => {
    const service = decodeURIComponent(id)
    const flappingService = world.table(flappingServices).get(id)
    if (flappingService === undefined) return
    flap(world, service, 'toggle')
    scheduleFlap(world, service, flappingService.interval)
  },
}

/**
 * Transitions of services between `steady` and `flapping`, which only the preset
 * `mesh-service-flapping` forces. The ID is the name of the service, or empty for every service.
 */
export const flappingTransition: TransitionKind = {
  kind: 'mesh.flapping',
  summary: 'Services whose checks turn critical and back.',
  targets: ['flapping', 'steady'],
  items: (world) => {
    const names = new Set(['', ...checksOf(world, '').map(({ service_name }) => service_name)])
    for (const [key] of world.table(flappingServices).entries()) names.add(decodeURIComponent(key))
    return [...names].map((name) =>
      world.table(flappingServices).has(keyPart(name))
        ? { id: name, state: 'flapping', to: ['steady'] }
        : { id: name, state: 'steady', to: ['flapping'] },
    )
  },
  force(world, id, to, { interval }) {
    const key = keyPart(id)
    world.write(() => {
      if (to === 'steady') {
        world.table(flappingServices).delete(key)
        world.agenda.cancel(flapJob, key)
        flap(world, id, 'restore')
        return
      }
      const milliseconds = Number(interval)
      world.table(flappingServices).put(key, { interval: milliseconds })
      flap(world, id, 'toggle')
      scheduleFlap(world, id, milliseconds)
    })
  },
}
