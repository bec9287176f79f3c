import { appendFileSync } from 'node:fs'
import type { ControlDependencies } from '../../routes/control/worlds/control-dependencies.ts'
import { WorldControl } from '../../routes/control/worlds/world-control.ts'
import { type Entry, entryOf } from '../../routes/journal/entry.ts'
import { fingerprintOf } from '../../routes/journal/fingerprint.ts'
import { Refusal } from '../../state/kernel/refusal.ts'
import type { World } from '../../state/kernel/worlds/world.ts'

/** Members of a journal entry that a rehearsal uses. */
export type RehearsedRequest = Pick<
  Entry,
  'world' | 'service' | 'operation' | 'method' | 'path' | 'status' | 'outcome' | 'fault'
>

/** Part of a rehearsal that concerns one server. */
export interface RehearsedRun {
  /** Name of the preset that every world gets; undefined in the run without faults. */
  readonly preset: string | undefined
  /** Called with each answered request of every world. */
  readonly onRequest: (request: RehearsedRequest) => void
}

/**
 * Applies a preset to every world of a server, also to worlds that are created, reset or restored
 * later, and reports the requests of all of them (behaviour/program#commands). A world in which the
 * preset is impossible stays as it is.
 *
 * @returns a function that ends the rehearsal; the preset then stays applied to existing worlds
 */
export function rehearseWorlds(server: ControlDependencies, run: RehearsedRun): () => void {
  const { worlds } = server
  const subscriptionEnds: (() => void)[] = []
  const followedWorlds = new WeakSet<World>()
  const addWorld = (world: World) => {
    if (run.preset !== undefined) applyPreset(new WorldControl(server, world), run.preset)
    if (followedWorlds.has(world)) return
    followedWorlds.add(world)
    const fingerprint = fingerprintOf(world.seed)
    const journal = server.journals.of(world)
    subscriptionEnds.push(
      journal.follow((record) => run.onRequest(rehearsedRequestOf(entryOf(record, fingerprint)))),
    )
  }
  for (const world of worlds.list()) addWorld(world)
  subscriptionEnds.push(
    worlds.follow(({ id, change }) => {
      const world = worlds.find(id)
      if (change !== 'deleted' && world !== undefined) addWorld(world)
    }),
  )
  return () => {
    for (const end of subscriptionEnds) end()
  }
}

function applyPreset({ faults }: WorldControl, preset: string): void {
  try {
    // A world that was forked or restored may have the preset already, or a part of it.
    faults.endPreset(preset)
    faults.preset(preset)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // The preset is impossible in this world. The command `rehearse` reports this.
  }
}

function rehearsedRequestOf(entry: Entry): RehearsedRequest {
  const { world, service, operation, method, path, status, outcome, fault } = entry
  return { world, service, operation, method, path, status, outcome, fault }
}

/**
 * Environment variable that passes a rehearsal on to the servers that the rehearsed command starts.
 */
export const rehearsalVariable = 'UNDERSTUDY_REHEARSAL'

/** Value of `rehearsalVariable`, as JSON. */
interface InheritedRehearsal {
  readonly preset?: string | undefined
  /** File to which each request is appended as one line of JSON. */
  readonly file: string
}

/** Returns the variable for the processes of a rehearsed command. */
export function rehearsalEnvironment(rehearsal: InheritedRehearsal): Record<string, string> {
  return { [rehearsalVariable]: JSON.stringify(rehearsal) }
}

/**
 * Adds a server to the rehearsal that started this process, if there is one. Fixtures of test
 * runners have a server of their own, whose worlds would otherwise not get the preset.
 */
export function joinRehearsal(
  server: ControlDependencies,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): void {
  const value = environment[rehearsalVariable]
  if (value === undefined) return
  const { preset, file }: InheritedRehearsal = JSON.parse(value)
  rehearseWorlds(server, {
    preset,
    // Writes are synchronous, because the process may end at any time.
    onRequest: (request) => appendFileSync(file, `${JSON.stringify(request)}\n`),
  })
}
