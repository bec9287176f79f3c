import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { callerOf } from '../../../../state/platform/accounts/callers.ts'
import { objects } from '../../../../state/platform/objects.ts'
import {
  currentStateVersion,
  stateVersionsOf,
  stateVersionWithId,
} from '../../../../state/platform/states/state-versions.ts'
import {
  receiveStateFile,
  rollBackState,
  uploadStateVersion,
} from '../../../../state/platform/states/upload-rules.ts'
import { createWorkspace } from '../../../../state/platform/workspaces/changes.ts'
import {
  forceUnlockWorkspace,
  lockWorkspace,
  unlockWorkspace,
} from '../../../../state/platform/workspaces/locks.ts'
import { workspaceWithId } from '../../../../state/platform/workspaces/workspaces.ts'
import { base64, md5, stateFile } from '../../../support/platform/platform-states.ts'
import { platformWorld, refusalOf } from '../platform-world.ts'

const tokens = ['owner-token', 'site-admin-token'] as const

type Who = (typeof tokens)[number]

type Command =
  | {
      kind: 'create'
      who: Who
      serial: number
      lineage: string | null
      content: number
      pending: boolean
      force: boolean
    }
  | { kind: 'put' | 'roll-back'; who: Who; version: number }
  | { kind: 'lock' | 'unlock' | 'force-unlock'; who: Who }

const who = fc.constantFrom(...tokens)
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      who,
      serial: fc.nat(4),
      lineage: fc.constantFrom('one', 'two', null),
      content: fc.nat(1),
      pending: fc.boolean(),
      force: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('put', 'roll-back'), who, version: fc.nat(6) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('lock', 'lock', 'unlock', 'force-unlock'), who }),
  },
)

/** A state version in the model. */
interface ModelVersion {
  readonly id: string
  readonly serial: number
  readonly lineage: string | null
  readonly md5: string
  status: 'pending' | 'finalized' | 'discarded'
}

/** Model of the states of one workspace, next to a world that has to agree with it. */
class Model {
  readonly #world: World = platformWorld()
  readonly #id: string
  readonly #versions: ModelVersion[] = []
  #holder: Who | null = null

  constructor() {
    const caller = this.#caller('owner-token')
    this.#id = createWorkspace(this.#world, caller, 'example-org', { name: 'net' }).id
  }

  do(command: Command): void {
    switch (command.kind) {
      case 'create':
        this.#create(command)
        break
      case 'put':
        this.#put(command.version)
        break
      case 'roll-back':
        this.#rollBack(command.who, command.version)
        break
      default:
        this.#changeLock(command)
    }
    this.#compare()
  }

  #caller(token: Who) {
    const caller = callerOf(this.#world, token)
    if (caller === undefined) throw new Error('there is no such token')
    return caller
  }

  get #workspace() {
    const workspace = workspaceWithId(this.#world, this.#id)
    if (workspace === undefined) throw new Error('there is no workspace')
    return workspace
  }

  get #current(): ModelVersion | undefined {
    return this.#versions.findLast(({ status }) => status === 'finalized')
  }

  #create({ who, serial, lineage, content, pending, force }: Command & { kind: 'create' }): void {
    const outputs = { x: { value: content } }
    const state = stateFile({ serial, outputs, ...(lineage === null ? {} : { lineage }) })
    const digest = md5(state)
    const sent = { serial, md5: digest, lineage, force }
    const input = pending ? sent : { ...sent, state: base64(state) }
    const fileLineage = pending ? lineage : (lineage ?? 'lineage-1')
    const expected = this.#refusalOfCreate(who, serial, digest, fileLineage, force)
    const create = () =>
      uploadStateVersion(this.#world, this.#caller(who), this.#workspace, input, 'the platform')
    if (expected !== undefined) {
      expect(refusalOf(create)?.kind).toBe(expected)
      return
    }
    const { id } = create()
    this.#versions.push({ id, serial, lineage: fileLineage, md5: digest, status: 'pending' })
    if (!pending) this.#finalize(this.#versions.length - 1)
  }

  #refusalOfCreate(
    who: Who,
    serial: number,
    digest: string,
    lineage: string | null,
    force: boolean,
  ): string | undefined {
    if (this.#holder !== who) return 'conflict'
    const current = this.#current
    if (current === undefined || force) return undefined
    const known = current.lineage !== null && lineage !== null
    if (known && current.lineage !== lineage) return 'conflict'
    if (serial < current.serial) return 'precondition'
    return serial === current.serial && digest !== current.md5 ? 'conflict' : undefined
  }

  #finalize(index: number): void {
    for (const [at, version] of this.#versions.entries()) {
      if (at < index && version.status === 'pending') version.status = 'discarded'
      if (at === index) version.status = 'finalized'
    }
  }

  #put(index: number): void {
    const version = this.#versions[index]
    const upload = version && stateVersionWithId(this.#world, version.id)?.upload
    if (version === undefined || upload == null) return
    const object = this.#world.table(objects).get(upload)
    if (object === undefined) throw new Error('there is no address')
    // The file has no lineage of its own, so that the sent one stays.
    const pieces = [base64('{"version":4}')]
    const put = () => receiveStateFile(this.#world, object, pieces)
    if (version.status === 'pending') {
      put()
      this.#finalize(index)
    } else expect(refusalOf(put)?.kind).toBe('conflict')
  }

  #rollBack(who: Who, index: number): void {
    const older = this.#versions[index]
    if (older === undefined) return
    const rollBack = () => rollBackState(this.#world, this.#caller(who), this.#workspace, older.id)
    const current = this.#current
    if (older.status !== 'finalized' || current === undefined) {
      expect(refusalOf(rollBack)?.kind).toBe('absent')
    } else if (this.#holder !== who) {
      expect(refusalOf(rollBack)?.kind).toBe('conflict')
    } else {
      const { id, md5: digest } = rollBack()
      const serial = current.serial + 1
      const { lineage } = older
      this.#versions.push({ id, serial, lineage, md5: digest, status: 'pending' })
      this.#finalize(this.#versions.length - 1)
    }
  }

  #changeLock({ kind, who }: { kind: 'lock' | 'unlock' | 'force-unlock'; who: Who }): void {
    const caller = this.#caller(who)
    const change = {
      lock: () => lockWorkspace(this.#world, this.#workspace, caller, ''),
      unlock: () => unlockWorkspace(this.#world, this.#workspace, caller, { retriesOn503: true }),
      'force-unlock': () => forceUnlockWorkspace(this.#world, this.#workspace),
    }[kind]
    const isPending = this.#versions.at(-1)?.status === 'pending'
    const isHeldByOther = this.#holder !== null && this.#holder !== who
    if ((kind === 'lock') === (this.#holder !== null) || (kind === 'unlock' && isHeldByOther)) {
      expect(refusalOf(change)?.kind).toBe('conflict')
    } else if (kind === 'unlock' && isPending) {
      expect(refusalOf(change)?.kind).toBe('unavailable')
    } else {
      change()
      this.#holder = kind === 'lock' ? who : null
    }
  }

  #compare(): void {
    const rows = stateVersionsOf(this.#world, this.#id).toReversed()
    expect(
      rows.map(({ id, serial, lineage, md5: digest, status }) => {
        return { id, serial, lineage, md5: digest, status }
      }),
    ).toEqual(this.#versions)
    expect(currentStateVersion(this.#world, this.#id)?.id).toBe(this.#current?.id)
    expect(this.#workspace.locked).toBe(this.#holder !== null)
  }
}

describe('behaviour/platform#state-uploads: model of locks, serials, lineages and uploads', () => {
  test('world and model agree after every command', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        const model = new Model()
        model.do({ kind: 'lock', who: 'owner-token' })
        for (const each of commands) model.do(each)
      }),
      { numRuns: 100 },
    )
  })
})
