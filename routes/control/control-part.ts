import type { World } from '../../state/kernel/worlds/world.ts'
import type { Validator } from '../http/declare/validate.ts'

/** Part of a world's control that one service provides; created on first access. */
export interface ControlPart<Control extends object> {
  make(world: World, validator: Validator): Control
}
