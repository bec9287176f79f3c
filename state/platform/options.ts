import type { OptionsDefinition } from '../kernel/options.ts'
import type { World } from '../kernel/world.ts'

/** World options of the platform (DESIGN section 6; 2-platform-decisions.md). */
export interface PlatformOptions {
  /** Tokens of a fresh world. */
  readonly siteAdminToken: string
  readonly ownerToken: string
  readonly memberToken: string
  /** Take unknown bearer tokens for the site admin's (section 1.5). */
  readonly acceptAnyToken: boolean
  /** Make organization and module of a path on first touch (section 5.1). */
  readonly autoProvision: boolean
  /** Demand the JSON:API media type on every POST, PATCH and DELETE (section 1.2). */
  readonly strictContentType: boolean
  /** Refuse requests above `api-rate-limit` (section 1.6). */
  readonly enforceRateLimit: boolean
  /** Refuse test runs of modules whose tests are not enabled (section 2.1). */
  readonly requireTestsEnabled: boolean
  /** An upload starts a test run (section 3). */
  readonly autoCreateTestRunOnUpload: boolean
  /** Uploads that are no gzip tar make the version `errored` (section 3). */
  readonly validateArchives: boolean
  /** The largest upload, in bytes. */
  readonly maxUploadBytes: number
  /** How long an upload takes to be processed: a duration. */
  readonly ingestDelay: string
  /** Where uploads and logs are; empty for the API's own origin. */
  readonly uploadUrl: string
  /** How long a run is queued, runs, and takes to stop when it is canceled: durations. */
  readonly queuedTime: string
  readonly runningTime: string
  readonly stopTime: string
  /** Leave new runs `pending` until they are pushed on (section 2.3). */
  readonly holdTestRuns: boolean
  /** What comes of runs that no `mock_result` decides about (section 2.3), */
  readonly testOutcome: 'finished' | 'errored'
  /** and with how many tests; counts that are left out are 0. */
  readonly testResults: Readonly<
    Partial<Record<'passed' | 'failed' | 'errored' | 'skipped', number>>
  >
  /** Queued and pending runs can be canceled too (section 8). */
  readonly cancelQueued: boolean
  /** Bad tokens on admin routes are 401 instead of 404 (section 8). */
  readonly adminUnauthorized: boolean
  /** `hcl` of variables is stored (section 8). */
  readonly storeHcl: boolean
  /** Deliver test messages to real mail servers instead of the outbox alone (section 6). */
  readonly deliverMail: boolean
  /** How long a real mail server may take: a duration of real time. */
  readonly mailTimeout: string
}

/** Durations without a sign, as Go writes them. */
const duration = (description: string) => ({
  type: 'string',
  pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$',
  description,
})
const text = (description: string) => ({ type: 'string', minLength: 1, description })
const count = { type: 'integer', minimum: 0, maximum: 1000 } as const
const flag = (description: string) => ({ type: 'boolean', description })

/** The options with their defaults. */
export const platformOptions: OptionsDefinition<PlatformOptions> = {
  service: 'platform',
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      siteAdminToken: text("A fresh world's token of a site admin"),
      ownerToken: text("A fresh world's token of an owner of the organization"),
      memberToken: text("A fresh world's token of a member outside the owners team"),
      acceptAnyToken: flag("Take unknown tokens for the site admin's"),
      autoProvision: flag('Make organization and module of a path on first touch'),
      strictContentType: flag('Demand the JSON:API media type on POST, PATCH and DELETE'),
      enforceRateLimit: flag('Refuse requests above api-rate-limit'),
      requireTestsEnabled: flag('Refuse test runs of modules whose tests are not enabled'),
      autoCreateTestRunOnUpload: flag('An upload starts a test run'),
      validateArchives: flag('Uploads that are no gzip tar are errored'),
      maxUploadBytes: { type: 'integer', minimum: 1, description: 'The largest upload, in bytes' },
      ingestDelay: duration('How long an upload takes to be processed'),
      uploadUrl: { type: 'string', description: "Where uploads and logs are, if not at the API's" },
      queuedTime: duration('How long a test run is queued'),
      runningTime: duration('How long a test run runs'),
      stopTime: duration('How long a canceled test run takes to stop'),
      holdTestRuns: flag('Leave new test runs pending until they are pushed on'),
      testOutcome: {
        enum: ['finished', 'errored'],
        description: 'What comes of test runs unless their variable mock_result says',
      },
      testResults: {
        type: 'object',
        additionalProperties: false,
        properties: { passed: count, failed: count, errored: count, skipped: count },
        description: 'How the tests of finished test runs came out',
      },
      cancelQueued: flag('Test runs that do not run yet can be canceled'),
      adminUnauthorized: flag('Bad tokens on admin routes are 401 instead of 404'),
      storeHcl: flag('The attribute hcl of variables is stored'),
      deliverMail: flag('Deliver test messages to the real mail server that is set'),
      mailTimeout: duration('How long a real mail server may take, in real time'),
    },
  },
  defaults: {
    siteAdminToken: 'site-admin-token',
    ownerToken: 'owner-token',
    memberToken: 'member-token',
    acceptAnyToken: false,
    autoProvision: false,
    strictContentType: false,
    enforceRateLimit: false,
    requireTestsEnabled: false,
    autoCreateTestRunOnUpload: true,
    validateArchives: false,
    maxUploadBytes: 512 * 1024 * 1024,
    ingestDelay: '0s',
    uploadUrl: '',
    queuedTime: '250ms',
    runningTime: '2s',
    stopTime: '1.5s',
    holdTestRuns: false,
    testOutcome: 'finished',
    testResults: { passed: 1 },
    cancelQueued: false,
    adminUnauthorized: false,
    storeHcl: false,
    deliverMail: false,
    mailTimeout: '10s',
  },
}

/** The options of a world's platform. */
export function optionsOf(world: World): PlatformOptions {
  return world.options(platformOptions)
}
