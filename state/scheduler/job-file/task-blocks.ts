import { deviceShape, meshBlockShape, resourcesShape } from '../job/scheduling-shapes.ts'
import { identityShape } from '../job/service-shapes.ts'
import {
  actionShape,
  artifactShape,
  changeScriptShape,
  logConfigShape,
  scheduleShape,
  secretsShape,
  templateShape,
  volumeMountShape,
} from '../job/task-parts.ts'
import { affinity, constraint, network } from './scheduling-blocks.ts'
import { argumentRules, repeatedBlock, singleBlock, withLabel } from './schema.ts'
import { shapeContents } from './shape-contents.ts'

const device = shapeContents(deviceShape, { blocks: { constraint, affinity } })

export const resources = singleBlock(
  'Resources',
  shapeContents(resourcesShape, {
    blocks: {
      network,
      device: repeatedBlock('Devices', device, withLabel('', 'Name')),
    },
  }),
)

export const logs = singleBlock('LogConfig', shapeContents(logConfigShape))

export const volumeMount = repeatedBlock('VolumeMounts', shapeContents(volumeMountShape))

const identityArguments = shapeContents(identityShape)
/** The `identity` blocks of a task. A task may have several identities. */
export const identity = repeatedBlock('Identities', identityArguments)
/** The `identity` block of a service. A service has at most one identity. */
export const serviceIdentity = singleBlock('Identity', identityArguments)

export const artifact = repeatedBlock('Artifacts', shapeContents(artifactShape))

const SPLAY = 5_000_000_000

const changeScript = shapeContents(changeScriptShape, {
  defaults: { Args: [], Timeout: SPLAY, FailOnError: false },
})

export const template = repeatedBlock(
  'Templates',
  shapeContents(templateShape, {
    blocks: { change_script: singleBlock('ChangeScript', changeScript) },
    defaults: { ChangeMode: 'restart', Perms: '0644', Splay: SPLAY, ErrMissingKey: false },
  }),
)

/** The `secrets` block of a job, group or task, which gives tasks access to the secrets API. */
export const secrets = singleBlock(
  'Secrets',
  shapeContents(secretsShape, {
    defaults: { Env: true, DisableFile: false, ChangeMode: 'restart' },
  }),
  { vendorName: 'vault' },
)

export const mesh = singleBlock('Mesh', shapeContents(meshBlockShape), { vendorName: 'consul' })

export const action = repeatedBlock(
  'Actions',
  shapeContents(actionShape, {
    arguments: argumentRules('string', 'command', { refusesNull: true, required: true }),
  }),
  withLabel('name', 'Name'),
)

export const schedule = singleBlock('Schedule', shapeContents(scheduleShape))
