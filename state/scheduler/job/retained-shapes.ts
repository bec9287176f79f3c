import {
  any,
  bool,
  duration,
  goList,
  goMap,
  int,
  nullable,
  text,
} from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'

/**
 * Members of jobs that are stored and returned as sent and never get defaults
 * (behaviour/scheduler#differences). They have the reference's types, so that values it could not
 * read are refused.
 */

/** What happens to a group's allocations while their node is disconnected. */
export const disconnectShape = nullable(
  struct('DisconnectStrategy', {
    LostAfter: optional(nullable(duration)),
    StopOnClientAfter: optional(nullable(duration)),
    Replace: optional(nullable(bool)),
    Reconcile: optional(nullable(text)),
  }),
)

/** The partition of the mesh to which a group or task belongs. */
export const meshPlaceShape = nullable(
  struct(
    'MeshPlace',
    {
      Namespace: optional(text),
      Cluster: optional(text),
      Partition: optional(text),
    },
    'Consul',
  ),
)

/** Commands that users can run in a task. */
export const actionsShape = goList(
  nullable(
    struct('Action', {
      Name: optional(text),
      Command: optional(text),
      Args: optional(goList(text)),
    }),
  ),
)

/** The schedule on which a task runs. */
export const scheduleShape = nullable(
  struct('TaskSchedule', {
    Cron: optional(
      nullable(
        struct('TaskScheduleCron', {
          Start: optional(text),
          End: optional(text),
          Timezone: optional(text),
        }),
      ),
    ),
  }),
)

/** Weights with which a service is chosen. */
export const weightsShape = nullable(
  struct('ServiceWeights', { Passing: optional(int), Warning: optional(int) }),
)

/** A service's configuration in the mesh. */
export const connectShape = nullable(
  struct(
    'MeshConnect',
    {
      Native: optional(bool),
      Gateway: optional(any),
      SidecarService: optional(
        nullable(
          struct(
            'MeshSidecarService',
            {
              Tags: optional(goList(text)),
              Port: optional(text),
              Proxy: optional(any),
              DisableDefaultTCPCheck: optional(bool),
              Meta: optional(goMap(text)),
            },
            'ConsulSidecarService',
          ),
        ),
      ),
      SidecarTask: optional(any),
    },
    'ConsulConnect',
  ),
)
