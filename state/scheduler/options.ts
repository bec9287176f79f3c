import { defineOptions, option } from '../kernel/options/options.ts'
import { bool, floatOf, list, name, textOf, uint, word } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import type { StoredOf } from '../kernel/shape/values.ts'
import type { World } from '../kernel/worlds/world.ts'

/** Pattern of a Go duration that is not negative. */
export const durationPattern = '^(0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h)){1,16})$'
const goDuration = textOf({ pattern: durationPattern })

/**
 * World options of the scheduler API (behaviour/program#fresh-world; behaviour/scheduler#cluster).
 */
const optionShape = struct({
  /** Defined in behaviour/scheduler#auth. */
  aclEnabled: option(bool, false, 'Enforce ACLs'),
  allowedOrigins: option(
    list(name),
    [],
    "Origins of web pages that may send requests while ACLs are off, in addition to this machine's; *: all",
  ),
  initialManagementToken: option(
    name,
    'scheduler-management-token',
    "The secret of a fresh world's management token",
  ),
  bootstrap: option(
    word('done', 'open'),
    'done',
    'Whether the ACLs of a fresh world are already bootstrapped',
  ),
  schedulerMode: option(
    word('auto', 'manual', 'frozen'),
    'auto',
    'Whether the cluster proceeds automatically, by manual steps, or not at all',
  ),
  timeScale: option(
    floatOf({ minimum: 0 }),
    1,
    'Multiplies every delay of the simulated cluster; 0: everything at once',
  ),
  evalDelay: option(goDuration, '50ms', 'How long an evaluation takes: a Go duration'),
  receivedDelay: option(
    goDuration,
    '50ms',
    'How long a client takes to receive an allocation: a Go duration',
  ),
  setupDelay: option(goDuration, '50ms', 'How long the setup of a task takes: a Go duration'),
  imageDelay: option(
    goDuration,
    '100ms',
    'How long fetching an image or artifact takes: a Go duration',
  ),
  startedDelay: option(goDuration, '100ms', 'How long starting a task takes: a Go duration'),
  batchRunTime: option(goDuration, '1s', 'How long a task of a batch job takes: a Go duration'),
  killDelay: option(goDuration, '100ms', 'How long stopping a task takes: a Go duration'),
  jobGCThreshold: option(
    textOf({ pattern: `${durationPattern}|^never$` }),
    '4h',
    'Age from which dead children of a periodic job are deleted at the next launch: a Go duration, or never',
  ),
  /** Defined in behaviour/scheduler#event-stream. */
  eventBufferSize: option(
    uint,
    100,
    'Number of event stream lines that are kept for later readers (`event_buffer_size`); 0: 100',
  ),
  /** Described by the choice validation-count-limit. */
  jobMaxCount: option(uint, 0, 'Maximum number of allocations of a job; 0: unlimited'),
  /** Described by the choice job-secrets-without-service. */
  secretsEnabled: option(
    bool,
    true,
    'Whether the integration with the secrets service, which secrets blocks of jobs need, is enabled',
  ),
  /** Value of `RejectJobRegistration` until a request writes the scheduler configuration. */
  rejectJobRegistration: option(
    bool,
    false,
    'Reject registration, dispatch and scaling, except with a management token',
  ),
  /** Affects the `wait` of blocking reads (behaviour/scheduler#blocking). */
  waitJitter: option(bool, true, 'Add up to a sixteenth to the time that blocking reads wait'),
  /**
   * Product version that nodes, servers and the agent report. Constraints on the version of a node
   * are compared with this version; nothing else depends on the option.
   */
  version: option(
    textOf({ pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+$' }),
    '1.9.7',
    'Version that nodes report',
  ),
  /** Defined in behaviour/scheduler#agent. */
  noLeader: option(
    bool,
    false,
    'Whether the cluster has no leader, so that its server is unhealthy',
  ),
  /** Defined in behaviour/scheduler#conventions. */
  region: option(name, 'global', 'The only region'),
})
export interface SchedulerOptions extends StoredOf<typeof optionShape> {}

export const schedulerOptions = defineOptions('scheduler', optionShape)

export function optionsOf(world: World): SchedulerOptions {
  return world.options(schedulerOptions)
}
