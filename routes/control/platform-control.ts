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

/** Mail or text message that was sent, with its time in RFC 3339. */
export type SentMessage = Omit<OutboxMessage, 'at'> & { readonly at: string }

/** Private module and the organization that owns it. */
type NewModule = ModuleFixture & { readonly organization: string }

/** Control of one world's platform: modules for tests, test runs and sent messages. */
export class PlatformControl {
  readonly #world: World
  readonly #validator: Validator

  constructor(world: World, validator: Validator) {
    this.#world = world
    this.#validator = validator
  }

  /**
   * Creates a private module, and its organization if it does not exist; an existing module is
   * updated with the given members.
   *
   * @throws {DocumentError} for unknown members
   * @throws Refusal for input that the API would refuse as well
   */
  module({ organization: name, ...module }: NewModule): void {
    const platform = { organizations: [{ name, modules: [module] }] }
    addFixtures(this.#world, { platform }, this.#validator)
  }

  /** Returns every test run in its current state, those of a module newest first. */
  testRuns(): readonly TestRun[] {
    this.#world.runDueJobs()
    return [...this.#world.table(testRuns).rows()]
  }

  /**
   * Returns the current log of a test run; refuses an unknown id as `absent`.
   *
   * @param dialect dialect of the log's text
   */
  testRunLog(id: string, dialect: DialectName = 'neutral'): string {
    this.#world.runDueJobs()
    const run = testRunWithId(this.#world, id)
    if (run === undefined) throw new Refusal('absent', `there is no test run "${id}"`)
    return currentLog(this.#world, run, dialect)
  }

  /** Returns the test mails and text messages that the platform sent, oldest first. */
  outbox(): readonly SentMessage[] {
    return outboxMessages(this.#world).map(({ at, ...more }) => ({
      ...more,
      at: formatTimestamp(at),
    }))
  }

  /** Deletes the messages that the platform sent. */
  emptyOutbox(): void {
    emptyOutbox(this.#world)
  }
}

/** Part of a world's control for the platform. */
export const platformPart: ControlPart<PlatformControl> = {
  make: (world, validator) => new PlatformControl(world, validator),
}
