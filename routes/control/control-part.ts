import type { World } from '../../state/kernel/worlds/world.ts'
import type { Validator } from '../http/declare/validate.ts'

/** A part of a world's control that one service brings; made when it is first asked for. */
export interface ControlPart<Control extends object> {
  make(world: World, validator: Validator): Control
}
