import { Refusal } from '../../../state/kernel/refusal.ts'
import type { Timing } from '../../../state/kernel/time/transitions.ts'
import { timings } from '../../../state/kernel/time/transitions.ts'
import type { TransitionKind } from '../../../state/kernel/worlds/service.ts'
import { World } from '../../../state/kernel/worlds/world.ts'
import { type Module, modules } from '../../../state/platform/modules/modules.ts'
import type { PlatformOptions } from '../../../state/platform/options.ts'
import { platformService } from '../../../state/platform/service.ts'
import { testTime } from '../../support/secrets/secrets.ts'

/**
 * Returns a fresh world with the platform alone, with its clock frozen at `testTime` and its rows
 * frozen.
 */
export function platformWorld(options: Partial<PlatformOptions> = {}): World {
  return new World({
    id: 'test',
    services: [platformService],
    seed: 'test',
    clock: { mode: 'frozen', at: testTime },
    options: { platform: options },
    freezeRows: true,
    onError: (error) => {
      throw error
    },
  })
}

/** Returns the module of a fresh world. */
export function firstModule(world: World): Module {
  const [module] = world.table(modules).rows()
  if (module === undefined) throw new Error('there is no module')
  return module
}

/** Returns the kind of transition with a name, which must exist. */
export function kindOf(world: World, name: string): TransitionKind {
  const kind = world.transitions.get(name)
  if (kind === undefined) throw new Error(`there is no transition ${name}`)
  return kind
}

/** Sets the timing of a kind of transition. */
export function setTiming(world: World, kind: string, timing: Timing): void {
  world.write(() => world.table(timings).put(kind, { pace: timing }))
}

/**
 * Returns the kind and message of the refusal that `work` throws, or undefined if it does not
 * throw.
 */
export function refusalOf(work: () => unknown): { kind: string; message: string } | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return { kind: error.kind, message: error.message }
    throw error
  }
}
