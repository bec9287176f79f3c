import { Refusal } from '../../../state/kernel/refusal.ts'
import type { Timing } from '../../../state/kernel/time/transitions.ts'
import { timings } from '../../../state/kernel/time/transitions.ts'
import type { TransitionKind } from '../../../state/kernel/worlds/service.ts'
import { World } from '../../../state/kernel/worlds/world.ts'
import { type Module, modules } from '../../../state/platform/modules/modules.ts'
import type { PlatformOptions } from '../../../state/platform/options.ts'
import { platformService } from '../../../state/platform/service.ts'
import { testTime } from '../../support/secrets/secrets.ts'

/** A fresh world with the platform alone: clock frozen at `testTime`, rows frozen. */
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

/** The module that a fresh world has. */
export function firstModule(world: World): Module {
  const [module] = world.table(modules).rows()
  if (module === undefined) throw new Error('there is no module')
  return module
}

/** A kind of transition, which must be there. */
export function kindOf(world: World, name: string): TransitionKind {
  const kind = world.transitions.get(name)
  if (kind === undefined) throw new Error(`there is no transition ${name}`)
  return kind
}

/** Sets how fast a kind moves. */
export function setTiming(world: World, kind: string, timing: Timing): void {
  world.write(() => world.table(timings).put(kind, { pace: timing }))
}

/** The kind and message with which some work is refused; undefined when it is not. */
export function refusalOf(work: () => unknown): { kind: string; message: string } | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return { kind: error.kind, message: error.message }
    throw error
  }
}
