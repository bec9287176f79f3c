import { Refusal } from '../../state/kernel/refusal.ts'
import type { DialectName } from '../../state/kernel/shape/dialect.ts'
import { formatTimestamp } from '../../state/kernel/time.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { ModuleFixture } from '../../state/platform/fixtures.ts'
import {
  emptyOutbox,
  type OutboxMessage,
  outboxMessages,
} from '../../state/platform/settings/outbox.ts'
import { currentLog } from '../../state/platform/test-runs/current-log.ts'
import { type TestRun, testRuns, testRunWithId } from '../../state/platform/test-runs/test-runs.ts'
import type { Validator } from '../http/declare/validate.ts'
import type { ControlPart } from './control-part.ts'
import { addFixtures } from './state/seeding.ts'

/** A mail or text message that went out, its time in RFC 3339. */
export type SentMessage = Omit<OutboxMessage, 'at'> & { readonly at: string }

/** A private module and the organization that has it. */
type NewModule = ModuleFixture & { readonly organization: string }

/** The platform of one world beyond its API: modules for tests that begin with some, runs and mails. */
export class PlatformControl {
  readonly #world: World
  readonly #validator: Validator

  constructor(world: World, validator: Validator) {
    this.#world = world
    this.#validator = validator
  }

  /**
   * Makes a private module, and its organization where there is none; one that is there gets what is
   * said of it besides.
   *
   * @throws {DocumentError} for members that there are none
   * @throws Refusal for what the API would refuse too
   */
  module({ organization: name, ...module }: NewModule): void {
    const platform = { organizations: [{ name, modules: [module] }] }
    addFixtures(this.#world, { platform }, this.#validator)
  }

  /** Returns every test run as it is now, those of a module newest first. */
  testRuns(): readonly TestRun[] {
    this.#world.runDueJobs()
    return [...this.#world.table(testRuns).rows()]
  }

  /**
   * Returns what a test run has logged by now; refuses (`absent`) one that there is not.
   *
   * @param dialect whose words it is in
   */
  testRunLog(id: string, dialect: DialectName = 'neutral'): string {
    this.#world.runDueJobs()
    const run = testRunWithId(this.#world, id)
    if (run === undefined) throw new Refusal('absent', `there is no test run "${id}"`)
    return currentLog(this.#world, run, dialect)
  }

  /** The test mails and text messages that it sent, oldest first. */
  outbox(): readonly SentMessage[] {
    return outboxMessages(this.#world).map(({ at, ...more }) => ({
      ...more,
      at: formatTimestamp(at),
    }))
  }

  /** Forgets the messages that it sent. */
  emptyOutbox(): void {
    emptyOutbox(this.#world)
  }
}

/** The same as a part of a world's control. */
export const platformPart: ControlPart<PlatformControl> = {
  make: (world, validator) => new PlatformControl(world, validator),
}
