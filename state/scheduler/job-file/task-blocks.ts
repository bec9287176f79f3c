import { deviceShape, resourcesShape } from '../job/scheduling-shapes.ts'
import {
  artifactShape,
  changeScriptShape,
  logConfigShape,
  secretsShape,
  templateShape,
  volumeMountShape,
} from '../job/task-shape.ts'
import { affinity, constraint, network } from './scheduling-blocks.ts'
import { args, argumentsOnly, definite, repeatedBlock, singleBlock, withLabel } from './schema.ts'
import { shapeContents } from './shape-contents.ts'

const device = shapeContents(deviceShape, { blocks: { constraint, affinity } })

/** `resources` of a task. */
export const resources = singleBlock(
  'Resources',
  shapeContents(resourcesShape, {
    blocks: {
      network,
      device: repeatedBlock('Devices', device, withLabel('', 'Name')),
      numa: singleBlock(
        'NUMA',
        argumentsOnly({ ...definite('string', 'affinity'), ...args('list of string', 'devices') }),
      ),
    },
  }),
)

/** `logs` of a task. */
export const logs = singleBlock('LogConfig', shapeContents(logConfigShape))

/** `volume_mount` of a task. */
export const volumeMount = repeatedBlock('VolumeMounts', shapeContents(volumeMountShape))

const identityArguments = argumentsOnly({
  ...definite('string', 'name change_mode change_signal filepath service_name'),
  ...args('list of string', 'aud->Audience'),
  ...definite('bool', 'env file'),
  ...definite('duration', 'ttl->TTL'),
})
/** `identity` of a task. */
export const identity = repeatedBlock('Identities', identityArguments)
/** `identity` of a service. */
export const serviceIdentity = singleBlock('Identity', identityArguments)

/** `artifact` of a task. */
export const artifact = repeatedBlock('Artifacts', shapeContents(artifactShape))

const SPLAY = 5_000_000_000

const changeScript = shapeContents(changeScriptShape, {
  defaults: { Args: [], Timeout: SPLAY, FailOnError: false },
})

/** `template` of a task. */
export const template = repeatedBlock(
  'Templates',
  shapeContents(templateShape, {
    blocks: { change_script: singleBlock('ChangeScript', changeScript) },
    // Obsolete and without effect, but accepted.
    arguments: { secrets_grace: { type: 'duration', member: undefined, vendor: 'vault_grace' } },
    defaults: { ChangeMode: 'restart', Perms: '0644', Splay: SPLAY },
  }),
)

/** `secrets` of a job, group or task: its access to the secrets service. */
export const secrets = singleBlock(
  'Secrets',
  shapeContents(secretsShape, { defaults: { Env: true, ChangeMode: 'restart' } }),
  { vendor: 'vault' },
)

/** `mesh` of a group or task. */
export const mesh = singleBlock(
  'Mesh',
  argumentsOnly(definite('string', 'namespace cluster partition')),
  {
    vendor: 'consul',
  },
)

/** `action` of a task. */
export const action = repeatedBlock(
  'Actions',
  argumentsOnly({
    ...args('string', 'command', { definite: true, required: true }),
    ...args('list of string', 'args'),
  }),
  withLabel('name', 'Name'),
)

/** `schedule` of a task. */
export const schedule = singleBlock('Schedule', {
  arguments: {},
  blocks: { cron: singleBlock('Cron', argumentsOnly(definite('string', 'start end timezone'))) },
})
