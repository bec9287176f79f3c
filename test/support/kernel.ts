import { Refusal } from '../../state/kernel/refusal.ts'
import { int } from '../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../state/kernel/shape/members.ts'
import { Store } from '../../state/kernel/store/store.ts'
import { defineTable } from '../../state/kernel/store/table.ts'
import type { ServiceDefinition, TransitionKind } from '../../state/kernel/worlds/service.ts'
import { World, type WorldSettings } from '../../state/kernel/worlds/world.ts'
import { Worlds, type WorldsSettings } from '../../state/kernel/worlds/worlds.ts'

/** Time of the frozen clocks in kernel tests: 2026-01-01T00:00:00Z. */
export const start = 1_767_225_600_000

interface Plant {
  readonly id: string
  /** Height in centimetres. */
  readonly height: number
  readonly state: 'growing' | 'cut'
}

const plantSchema = {
  type: 'object',
  required: ['id', 'height', 'state'],
  additionalProperties: false,
  properties: {
    id: { type: 'string' },
    height: { type: 'number' },
    state: { enum: ['growing', 'cut'] },
  },
} as const

export const plants = defineTable<Plant>()({
  service: 'garden',
  name: 'plants',
  secrets: 'none',
  schema: plantSchema,
})

export const notes = defineTable<{ readonly text: string }>()({
  service: 'garden',
  name: 'notes',
  secrets: 'none',
  schema: {
    type: 'object',
    required: ['text'],
    additionalProperties: false,
    properties: { text: { type: 'string' } },
  },
})

export const fish = defineTable<{ readonly name: string }>()({
  service: 'pond',
  name: 'fish',
  secrets: 'none',
  schema: {
    type: 'object',
    required: ['name'],
    additionalProperties: false,
    properties: { name: { type: 'string' } },
  },
})

interface GardenOptions {
  readonly soil: 'clay' | 'sand'
  readonly depth: number
}

export const gardenOptions = {
  service: 'garden',
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: { soil: { enum: ['clay', 'sand'] }, depth: { type: 'integer', minimum: 0 } },
  },
  defaults: { soil: 'clay', depth: 3 } as GardenOptions,
}

/**
 * Transitions of plants: a growing plant can become `cut`, and a cut plant `growing`; `removed`
 * deletes the plant.
 */
export const plantKind: TransitionKind = {
  kind: 'garden.plant',
  summary: 'Plants that grow and are cut.',
  targets: ['growing', 'cut', 'removed'],
  takes: { cut: struct({ height: optional(int) }) },
  timing: { after: '2s' },
  items: (world) =>
    Array.from(world.table(plants).entries(), ([key, { state }]) => ({
      id: key,
      state,
      to: state === 'growing' ? ['cut', 'removed'] : ['growing', 'removed'],
    })),
  force: (world, id, to, extra) => {
    const plant = world.table(plants).get(id)
    if (plant === undefined) throw new Refusal('absent', `there is no plant "${id}"`)
    if (plant.state === to) throw new Refusal('conflict', `the plant "${id}" is ${to} already`)
    if (to === 'removed') world.table(plants).delete(id)
    else {
      const height = typeof extra['height'] === 'number' ? extra['height'] : plant.height
      world.table(plants).put(id, { ...plant, height, state: to === 'cut' ? 'cut' : 'growing' })
    }
  },
}

/**
 * Transitions of a gate. The gate never changes by itself, and a forced transition changes nothing.
 */
const gateKind: TransitionKind = {
  kind: 'garden.gate',
  summary: 'The gate.',
  targets: ['open', 'shut'],
  items: () => [{ id: 'self', state: 'open', to: ['shut'] }],
  force: () => {},
}

/** Test service with tables, options, fixtures, scheduled jobs, transitions and a seed. */
export const garden: ServiceDefinition = {
  name: 'garden',
  tables: [plants, notes],
  options: gardenOptions,
  fixtures: {
    heights: { type: 'object', additionalProperties: { type: 'number', minimum: 0 } },
  },
  jobs: {
    'garden.grow': (world, { id }) => {
      const plant = world.table(plants).get(id)
      if (plant === undefined) return
      world.table(plants).put(id, { ...plant, height: plant.height + 1 })
      world.agenda.schedule({ at: world.clock.now() + 60_000, job: 'garden.grow', id })
    },
    'garden.note': (world, { id, at }) => {
      world.table(notes).put(id, { text: `due ${at}, done ${world.clock.now()}` })
    },
    'garden.fail': (world, { id }) => {
      world.table(notes).put(id, { text: 'half done' })
      throw new Error(`job ${id} failed`)
    },
  },
  transitions: [plantKind, gateKind],
  seed: (world) => {
    const { depth } = world.options(gardenOptions)
    world.table(plants).put('oak', { id: world.ids.uuid(), height: depth, state: 'growing' })
  },
  load: (world, { heights = {} }) => {
    for (const [name, height] of Object.entries(heights as Record<string, number>)) {
      if (name === 'weed') throw new Refusal('invalid', 'weeds are not planted')
      world.table(plants).put(name, { id: world.ids.uuid(), height, state: 'growing' })
    }
  },
  info: (world) => ({ gardener: world.table(plants).get('oak')?.id ?? null }),
}

/** Test service with the minimum of features. */
export const pond: ServiceDefinition = {
  name: 'pond',
  tables: [fish],
  options: {
    service: 'pond',
    schema: { type: 'object', additionalProperties: false, properties: {} },
    defaults: {},
  },
  fixtures: {},
  jobs: {},
  transitions: [],
  seed: () => {},
  load: () => {},
  info: () => ({}),
}

export const services = [garden, pond]

/** Returns a store whose rows are frozen, so that changing one in place throws. */
export function testStore(): Store {
  return new Store({ freezeRows: true })
}

/**
 * Returns a world of the test services, by default with a frozen clock. Errors of jobs are thrown.
 */
export function testWorld(settings: Partial<WorldSettings> = {}): World {
  return new World({
    id: 'default',
    services,
    seed: 'test',
    clock: { mode: 'frozen', at: start },
    freezeRows: true,
    onError: (error) => {
      throw error
    },
    ...settings,
  })
}

/** Returns worlds of the test services, with a default world like that of `testWorld`. */
export function testWorlds(settings: Partial<WorldsSettings> = {}): Worlds {
  return new Worlds({
    services,
    seed: 'test',
    clock: { mode: 'frozen', at: start },
    freezeRows: true,
    onError: (error) => {
      throw error
    },
    ...settings,
  })
}
