import { defineOptions, option } from '../kernel/options/options.ts'
import {
  bool,
  intOf,
  list,
  name,
  nullable,
  text,
  textOf,
  uintOf,
  word,
} from '../kernel/shape/kinds.ts'
import { optional, struct } from '../kernel/shape/members.ts'
import type { StoredOf } from '../kernel/shape/values.ts'
import type { World } from '../kernel/worlds/world.ts'
import { runOutcomeShape } from './runs/outcome-shape.ts'

/** Go duration without a sign, such as `1h30m`. */
const goDuration = textOf({ pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h)){1,16}$' })

const testCount = uintOf({ maximum: 1000 })

/** World options of the platform (behaviour/program#fresh-world). */
const optionShape = struct({
  siteAdminToken: option(name, 'site-admin-token', "A fresh world's token of a site admin"),
  ownerToken: option(name, 'owner-token', "A fresh world's token of an owner of the organization"),
  memberToken: option(
    name,
    'member-token',
    "A fresh world's token of a member outside the owners team",
  ),
  /** The vendor dialect has the default `2y` (behaviour/platform#vendor-switches). */
  tokenLifetime: option(
    textOf({ pattern: '^(never|[0-9]{1,4}y|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h)){1,16})$' }),
    'never',
    'Default lifetime of tokens: `never` (they do not expire), years such as `2y`, or a duration',
  ),
  /**
   * Whether unknown tokens are treated as the token of the site admin
   * (behaviour/platform#authentication).
   */
  acceptAnyToken: option(bool, false, 'Accept unknown tokens as the token of the site admin'),
  /**
   * Whether requests create the missing organizations and modules in their paths
   * (behaviour/platform#seeds).
   */
  autoProvision: option(
    bool,
    false,
    'Create the organization and the module of a path when a request first names them',
  ),
  /** True in the vendor dialect (behaviour/platform#media-types). */
  strictContentType: option(
    bool,
    false,
    'Require the JSON:API media type on POST, PATCH and DELETE',
  ),
  /**
   * Whether the rate limit is enforced even if no client has set the limit or enabled rate limiting
   * (behaviour/platform#rate-limit).
   */
  enforceRateLimit: option(bool, false, 'Refuse requests above api-rate-limit'),
  /**
   * Whether test runs of modules with disabled tests are rejected
   * (behaviour/platform#create-test-run).
   */
  requireTestsEnabled: option(
    bool,
    false,
    'Refuse test runs of modules whose tests are not enabled',
  ),
  /** False in the vendor dialect (behaviour/platform#configuration-versions). */
  autoCreateTestRunOnUpload: option(bool, true, 'An upload starts a test run'),
  /**
   * Whether an upload that is not an archive makes its version `errored`
   * (behaviour/platform#uploads).
   */
  validateArchives: option(bool, false, 'Set uploads that are not gzip tar archives to errored'),
  maxUploadBytes: option(
    intOf({ minimum: 0 }),
    512 * 1024 * 1024,
    'The largest upload, in bytes; 0 refuses every upload',
  ),
  ingestDelay: option(goDuration, '0s', 'How long an upload takes to be processed'),
  uploadUrl: option(text, '', 'Base address of uploads and logs; empty: the address of the API'),
  queuedTime: option(goDuration, '250ms', 'How long a test run is queued'),
  runningTime: option(goDuration, '2s', 'How long a test run runs'),
  stopTime: option(goDuration, '1.5s', 'How long a canceled test run takes to stop'),
  /**
   * Whether new test runs stay `pending` until a forced transition queues them
   * (behaviour/platform#test-run-states).
   */
  holdTestRuns: option(bool, false, 'Leave new test runs pending until a forced transition'),
  /** Default outcome of test runs (behaviour/platform#test-run-states). */
  testOutcome: option(
    word('finished', 'errored'),
    'finished',
    'Outcome of test runs without the variable mock_result',
  ),
  testResults: option(
    nullable(
      struct({
        passed: optional(testCount),
        failed: optional(testCount),
        errored: optional(testCount),
        skipped: optional(testCount),
      }),
    ),
    null,
    'Results of the tests in finished test runs, regardless of mock_result; null: all run blocks pass',
  ),
  /**
   * Runs of a workspace also use this version if the workspace sets no exact version
   * (behaviour/platform#run-resource).
   */
  toolVersion: option(name, '1.9.8', 'The version of the tool that writes the logs of test runs'),
  testNamesFromUpload: option(
    bool,
    true,
    'Logs of test runs name the test files and run blocks that were uploaded',
  ),
  testFileNames: option(
    list(name),
    ['.tftest.hcl', '.tftest.json', '.test.hcl', '.test.json'],
    'Endings of the names of test files',
  ),
  /** Duration of the status `pending` (behaviour/platform#run-statuses). */
  runPendingTime: option(goDuration, '100ms', 'How long a run of a workspace is pending'),
  runQueuedTime: option(goDuration, '150ms', 'How long a plan or an apply is queued'),
  planTime: option(goDuration, '2s', 'How long a plan takes'),
  applyTime: option(goDuration, '2s', 'How long an apply takes'),
  stageTime: option(goDuration, '1s', 'How long a cost estimate and each step of a run task take'),
  /**
   * Maximum duration of a run task, and lifetime of its callback token
   * (behaviour/platform#task-stages).
   */
  taskTimeout: option(goDuration, '10m', 'How long a run task may take until it calls back'),
  deliverNotifications: option(bool, false, 'Send notifications to their addresses'),
  deliverRunTasks: option(bool, false, 'Call the addresses of run tasks, and wait for callbacks'),
  forceCancelDelay: option(goDuration, '60s', 'When a canceled run can be ended by force'),
  holdRuns: option(bool, false, 'Leave new runs pending until a forced transition'),
  /**
   * Whether runs in the execution mode `agent` wait for an idle agent, which is then busy while the
   * run plans or applies (behaviour/platform#agents).
   */
  agentsRequired: option(bool, false, 'Runs in the mode agent wait for an idle agent'),
  agentsLost: option(bool, false, 'All agents are unknown, and runs in the mode agent wait'),
  runConcurrency: option(
    uintOf({ maximum: 1000 }),
    0,
    'Maximum number of runs of an organization that are planned or applied at the same time; 0: unlimited',
  ),
  /**
   * Duration of the status `fetching` of a configuration version
   * (behaviour/platform#workspace-pushes).
   */
  fetchTime: option(goDuration, '0s', 'How long fetching the files of a commit takes'),
  /**
   * Whether runs plan the resources in the uploaded files. If false, runs plan
   * `null_resource.example` instead (behaviour/platform#run-files).
   */
  runResourcesFromUpload: option(bool, true, 'Runs plan the resources in the uploaded files'),
  runOutcome: option(
    nullable(runOutcomeShape),
    null,
    'Outcome of all runs; null: determined by the uploaded files',
  ),
  /** True in the vendor dialect (behaviour/platform#differences). */
  cancelQueued: option(bool, false, 'Test runs that do not run yet can be canceled'),
  /** True in the vendor dialect (behaviour/platform#differences). */
  adminUnauthorized: option(bool, false, 'Bad tokens on admin routes are 401 instead of 404'),
  /** True in the vendor dialect (behaviour/platform#differences). */
  storeHcl: option(bool, false, 'The attribute hcl of variables is stored'),
  /** If false, the delivery of test messages is simulated (behaviour/platform#test-mail). */
  deliverMail: option(bool, false, 'Deliver test messages to the real mail server that is set'),
  mailFault: option(
    word('none', 'failed', 'timed-out', 'rejected'),
    'none',
    'Result of sending a test message that is not delivered to a real mail server',
  ),
  /**
   * Time after a state version is finalized during which its resources are unknown
   * (behaviour/platform#state-versions).
   */
  stateProcessingTime: option(
    goDuration,
    '0s',
    'How long it takes until the resources of a new state version are known',
  ),
  mailTimeout: option(goDuration, '10s', 'How long a real mail server may take, in real time'),
})
export interface PlatformOptions extends StoredOf<typeof optionShape> {}

/**
 * Platform options with their defaults. Fixtures, the environment, the request that creates a world
 * and the control plane can set them.
 */
export const platformOptions = defineOptions('platform', optionShape)

export function optionsOf(world: World): PlatformOptions {
  return world.options(platformOptions)
}

/** Options whose defaults differ in the vendor dialect (behaviour/platform#vendor-switches). */
export const vendorPlatformOptions: Partial<PlatformOptions> = {
  strictContentType: true,
  autoCreateTestRunOnUpload: false,
  cancelQueued: true,
  adminUnauthorized: true,
  storeHcl: true,
  tokenLifetime: '2y',
  testFileNames: ['.tftest.hcl', '.tftest.json'],
}
