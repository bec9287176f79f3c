import type { World } from '../../state/kernel/worlds/world.ts'
import { Worlds } from '../../state/kernel/worlds/worlds.ts'
import { putSecret } from '../../state/secrets/kv/kv.ts'
import { listKeys } from '../../state/secrets/kv/v2-metadata.ts'
import { kv2Keys } from '../../state/secrets/kv/v2-store.ts'
import { mountOf } from '../../state/secrets/mounts/mounts.ts'
import { rootNamespace } from '../../state/secrets/namespaces/namespaces.ts'
import { secretsService } from '../../state/secrets/service.ts'
import { type Row, showSpread, spreadOf } from './report.ts'

const rounds = 201

function freshWorlds(): Worlds {
  return new Worlds({ services: [secretsService], seed: 'bench', clock: { mode: 'frozen', at: 0 } })
}

function secretMount(world: World) {
  const mount = mountOf(world, rootNamespace, 'secret/')
  if (mount === undefined) throw new Error('a fresh world has no secret/')
  return mount
}

/** Writes secrets in folders of 1,000, in batches so that the change feed stays small. */
function writeSecrets(world: World, count: number, value = 'x'): void {
  const mount = secretMount(world)
  for (let from = 0; from < count; from += 10_000) {
    world.write(() => {
      for (let n = from; n < Math.min(count, from + 10_000); n++) {
        const folder = String(Math.floor(n / 1000)).padStart(4, '0')
        putSecret(world, mount, `folder-${folder}/secret-${n % 1000}`, { value })
      }
    })
  }
}

function milliseconds(work: () => void): number {
  const begin = performance.now()
  work()
  return performance.now() - begin
}

/**
 * Measures creating a world, reset, snapshot and fork with many secrets, against a world with few.
 */
export function worldRows(): Row[] {
  const smallWorlds = freshWorlds()
  const largeWorlds = freshWorlds()
  writeSecrets(smallWorlds.default, 1000)
  writeSecrets(largeWorlds.default, 100_000)
  const kept = largeWorlds.snapshots.take(largeWorlds.default)
  const smallSnapshot = smallWorlds.snapshots.take(smallWorlds.default)
  const actions: readonly (readonly [string, (worlds: Worlds, kept: string) => void])[] = [
    ['new world', (worlds) => worlds.delete(worlds.create().id)],
    ['snapshot', (worlds) => void worlds.default.snapshot()],
    ['fork', (worlds) => worlds.delete(worlds.create({ from: 'default' }).id)],
    ['restore', (worlds, id) => worlds.default.restore(worlds.snapshots.get(id).snapshot)],
    ['reset', (worlds) => worlds.default.reset()],
  ]
  return actions.map(([name, act]) => {
    const ours: number[] = []
    const against: number[] = []
    for (let round = 0; round < rounds; round++) {
      // Restore the start state in each round, because a reset leaves few secrets behind.
      largeWorlds.default.restore(kept.snapshot)
      smallWorlds.default.restore(smallSnapshot.snapshot)
      ours.push(milliseconds(() => act(largeWorlds, kept.id)))
      against.push(milliseconds(() => act(smallWorlds, smallSnapshot.id)))
    }
    const [big, small] = [spreadOf(ours), spreadOf(against)]
    return {
      what: `${name} with 100,000 secrets, against 1,000`,
      ours: showSpread(big, 3, ' ms'),
      against: `${small.median.toFixed(3)} ms`,
      ratio: (big.median / small.median).toFixed(2),
      bound: 'under 1 ms, flat',
      holds: big.median < 1 && big.median < 3 * small.median,
    }
  })
}

/** Compares listing a folder of 1,000 keys among 1,000,000 keys and among 10,000. */
export function listRow(): Row {
  const [small, large] = [freshWorlds().default, freshWorlds().default]
  writeSecrets(small, 10_000)
  writeSecrets(large, 1_000_000)
  const figures = { ours: [] as number[], against: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    figures.ours.push(milliseconds(() => listKeys(large, secretMount(large), 'folder-0005/')))
    figures.against.push(milliseconds(() => listKeys(small, secretMount(small), 'folder-0005/')))
  }
  const [ours, against] = [spreadOf(figures.ours), spreadOf(figures.against)]
  return {
    what: 'list a folder of 1,000 among 1,000,000 keys, against among 10,000',
    ours: showSpread(ours, 3, ' ms'),
    against: showSpread(against, 3, ' ms'),
    ratio: (ours.median / against.median).toFixed(2),
    bound: 'as fast',
    holds: ours.median < 1.5 * against.median,
  }
}

/** Measures the heap that each stored version of 1 KiB takes. Requires `--expose-gc`. */
export function memoryRow(): Row {
  const collect = globalThis.gc
  if (collect === undefined) throw new Error('run the benchmark with --expose-gc')
  const count = 50_000
  const world = freshWorlds().default
  const heap = () => {
    collect()
    const { heapUsed, external, arrayBuffers } = process.memoryUsage()
    return heapUsed + external + arrayBuffers
  }
  const before = heap()
  const mount = secretMount(world)
  world.write(() => {
    for (let n = 0; n < count; n++) {
      // Each value is different, because equal strings might share memory.
      putSecret(world, mount, `s${n}`, { value: `${n}`.padStart(1010, 'x') })
    }
  })
  const bytes = (heap() - before) / count
  if (world.table(kv2Keys).size !== count) throw new Error('secrets were lost')
  return {
    what: 'memory for each stored version of 1 KiB',
    ours: `${(bytes / 1024).toFixed(2)} KiB`,
    against: '1 KiB',
    ratio: (bytes / 1024).toFixed(2),
    bound: 'at most 2',
    holds: bytes <= 2048,
  }
}

/** Measures one write while 10,000 readers are blocked, each on its own key. */
export function wakeRow(): Row {
  const world = freshWorlds().default
  const mount = secretMount(world)
  const readers = 10_000
  let wokenReaders: number[] = []
  const table = world.table(kv2Keys)
  for (let n = 0; n < readers; n++) {
    world.store.watchers.watchKey(table.id, `${mount.uuid}/s${n}`, () => wokenReaders.push(n))
  }
  const figures: number[] = []
  for (let round = 0; round < rounds; round++) {
    wokenReaders = []
    const begin = process.cpuUsage()
    putSecret(world, mount, 's4711', { round })
    const { user, system } = process.cpuUsage(begin)
    figures.push((user + system) / 1000)
    if (wokenReaders.length !== 1 || wokenReaders[0] !== 4711)
      throw new Error('the wrong readers woke')
  }
  const cpu = spreadOf(figures)
  return {
    what: '10,000 blocked readers, one write: CPU until the right one is awake',
    ours: showSpread(cpu, 2, ' ms'),
    against: '-',
    ratio: '-',
    bound: 'under 100 ms',
    holds: cpu.high < 100,
  }
}

/** Measures one write that wakes 10,000 readers, all waiting for any change below a mount. */
export function wakeAllRow(): Row {
  const world = freshWorlds().default
  const mount = secretMount(world)
  const readers = 10_000
  let wokenReaders = 0
  const { id } = world.table(kv2Keys)
  for (let n = 0; n < readers; n++) {
    world.store.watchers.watchPrefix(id, `${mount.uuid}/`, () => {
      wokenReaders += 1
    })
  }
  const figures: number[] = []
  for (let round = 0; round < rounds; round++) {
    wokenReaders = 0
    const begin = process.cpuUsage()
    putSecret(world, mount, 's4711', { round })
    const { user, system } = process.cpuUsage(begin)
    figures.push((user + system) / 1000)
    if (wokenReaders !== readers) throw new Error('not all readers woke')
  }
  const cpu = spreadOf(figures)
  return {
    what: '10,000 blocked readers, one write for all: CPU until they are awake',
    ours: showSpread(cpu, 2, ' ms'),
    against: '-',
    ratio: '-',
    bound: 'under 100 ms',
    holds: cpu.high < 100,
  }
}
