import type { TransitionKindOf } from '../time/transitions.ts'
import type { JobHandlerOf, ServiceDefinitionOf } from './service-definition.ts'
import type { World } from './world.ts'

/** `ServiceDefinitionOf` for `World`: everything that one API adds to every world. */
export type ServiceDefinition = ServiceDefinitionOf<World>

/** `JobHandlerOf` for `World`: a function that carries out a scheduled job. */
export type JobHandler = JobHandlerOf<World>

/** `TransitionKindOf` for `World`: one kind of object whose states can be forced. */
export type TransitionKind = TransitionKindOf<World>
