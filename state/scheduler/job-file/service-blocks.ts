import { checkRestartShape, checkShape, serviceShape } from '../job/service-shapes.ts'
import { connect } from './connect-blocks.ts'
import { argumentsOnly, definite, repeatedBlock, singleBlock, stringListValues } from './schema.ts'
import { shapeContents } from './shape-contents.ts'
import { serviceIdentity } from './task-blocks.ts'

const checkRestart = singleBlock('CheckRestart', shapeContents(checkRestartShape))

const check = repeatedBlock(
  'Checks',
  shapeContents(checkShape, {
    definite: true,
    blocks: { header: singleBlock('Header', stringListValues), check_restart: checkRestart },
  }),
)

/** `service` of a group or task (behaviour/scheduler#job-file-blocks). */
export const service = repeatedBlock(
  'Services',
  shapeContents(serviceShape, {
    definite: true,
    blocks: {
      check,
      check_restart: checkRestart,
      connect,
      identity: serviceIdentity,
      weights: singleBlock('Weights', argumentsOnly(definite('int', 'passing warning'))),
    },
  }),
)
