import type { OptionsDefinition } from '../kernel/options.ts'
import type { World } from '../kernel/world.ts'

/** World options of the job scheduler (DESIGN section 6; 3b-scheduler-decisions.md section 7). */
export interface SchedulerOptions {
  /** Enforce ACLs (section 1, Auth). */
  readonly aclEnabled: boolean
  /** The secret of a fresh world's management token. */
  readonly initialManagementToken: string
  /** Whether ACLs of a fresh world are bootstrapped already. */
  readonly bootstrap: 'done' | 'open'
  /** Whether the cluster moves by itself, step by step, or not at all. */
  readonly schedulerMode: 'auto' | 'manual' | 'frozen'
  /** Multiplies every delay of the simulated cluster; 0: everything at once. */
  readonly timeScale: number
  /** Delays of the simulated cluster: Go durations before `timeScale`. */
  readonly evalDelay: string
  readonly receivedDelay: string
  readonly setupDelay: string
  readonly imageDelay: string
  readonly startedDelay: string
  readonly batchRunTime: string
  readonly killDelay: string
  /** How many allocations a job may ask for in all; 0: any number (section 5, admission). */
  readonly jobMaxCount: number
  /** Refuse registration, dispatch and scaling unless the caller is management (section 1). */
  readonly rejectJobRegistration: boolean
  /** Add up to a sixteenth to the time that blocking reads wait (section 1). */
  readonly waitJitter: boolean
  /** The only region (section 1). */
  readonly region: string
}

const flag = (description: string) => ({ type: 'boolean', description })
const text = (description: string) => ({ type: 'string', minLength: 1, description })
/** What a Go duration that is not negative looks like. */
export const durationPattern = '^(0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$'

const delay = (what: string) => ({
  type: 'string',
  pattern: durationPattern,
  description: `How long ${what} takes: a Go duration`,
})

/** The options with their defaults. */
export const schedulerOptions: OptionsDefinition<SchedulerOptions> = {
  service: 'scheduler',
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      aclEnabled: flag('Enforce ACLs'),
      initialManagementToken: text("The secret of a fresh world's management token"),
      bootstrap: {
        enum: ['done', 'open'],
        description: 'Whether ACLs of a fresh world are bootstrapped already',
      },
      schedulerMode: {
        enum: ['auto', 'manual', 'frozen'],
        description: 'Whether the cluster moves by itself, step by step, or not at all',
      },
      timeScale: {
        type: 'number',
        minimum: 0,
        description: 'Multiplies every delay of the simulated cluster; 0: everything at once',
      },
      evalDelay: delay('an evaluation'),
      receivedDelay: delay('a client to receive an allocation'),
      setupDelay: delay('setting a task up'),
      imageDelay: delay('fetching an image or artifact'),
      startedDelay: delay('starting a task'),
      batchRunTime: delay('a task of a batch job'),
      killDelay: delay('stopping a task'),
      jobMaxCount: {
        type: 'integer',
        minimum: 0,
        description: 'How many allocations a job may ask for in all; 0: any number',
      },
      rejectJobRegistration: flag(
        'Refuse registration, dispatch and scaling unless the caller is management',
      ),
      waitJitter: flag('Add up to a sixteenth to the time that blocking reads wait'),
      region: text('The only region'),
    },
  },
  defaults: {
    aclEnabled: false,
    initialManagementToken: 'scheduler-management-token',
    bootstrap: 'done',
    schedulerMode: 'auto',
    timeScale: 1,
    evalDelay: '50ms',
    receivedDelay: '50ms',
    setupDelay: '50ms',
    imageDelay: '100ms',
    startedDelay: '100ms',
    batchRunTime: '1s',
    killDelay: '100ms',
    jobMaxCount: 50_000,
    rejectJobRegistration: false,
    waitJitter: true,
    region: 'global',
  },
}

/** The options of a world's scheduler. */
export function optionsOf(world: World): SchedulerOptions {
  return world.options(schedulerOptions)
}
