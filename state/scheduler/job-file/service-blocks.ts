import { checkRestartShape, checkShape, serviceShape } from '../job/service-shapes.ts'
import { connect } from './connect-blocks.ts'
import { definite, many, one, plain, textLists } from './schema.ts'
import { tableOf } from './table.ts'
import { serviceIdentity } from './task-parts.ts'

const checkRestart = one('CheckRestart', tableOf(checkRestartShape))

const check = many(
  'Checks',
  tableOf(checkShape, {
    definite: true,
    blocks: { header: one('Header', textLists), check_restart: checkRestart },
  }),
)

/** `service` of a group or task (behaviour/scheduler#job-file-blocks). */
export const service = many(
  'Services',
  tableOf(serviceShape, {
    definite: true,
    blocks: {
      check,
      check_restart: checkRestart,
      connect,
      identity: serviceIdentity,
      weights: one('Weights', plain(definite('int', 'passing warning'))),
    },
  }),
)
