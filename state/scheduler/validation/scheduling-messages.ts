import { defineMessages, messageTexts } from '../../kernel/refusal.ts'

/**
 * Messages about placement, restart, reschedule, update and migrate settings
 * (behaviour/scheduler#validation).
 */
export const { table: schedulingMessages, message } = defineMessages(
  messageTexts({
    'system-affinity': 'System jobs may not have an affinity block',
    'system-spread': 'System jobs may not have a spread block',

    'constraint-operand-missing': 'Missing constraint operand',
    'constraint-operand-unknown': 'Unknown constraint type {operand}',
    'constraint-set-target-missing': 'Set contains constraint requires an RTarget',
    'constraint-version-invalid': '{kind} constraint is invalid: {why}',
    'affinity-operand-missing': 'Missing affinity operand',
    'affinity-operand-unknown': 'Unknown affinity operator {operand}',
    'affinity-set-target-missing': 'Set contains operators require an RTarget',
    'affinity-version-invalid': '{kind} affinity is invalid: {why}',
    'operand-target-missing': 'Operator {operand} requires an RTarget',
    'operand-target-needless': 'Operator {operand} does not support an RTarget',
    'target-regex-invalid': 'Regular expression failed to compile: {why}',
    'target-count-invalid': 'Failed to convert RTarget {target} to uint64: {why}',
    'target-count-zero': 'Distinct Property must have an allowed count of 1 or greater: 0 < 1',
    'attribute-missing': 'No LTarget provided but is required by constraint',
    'affinity-attribute-missing': 'No LTarget provided but is required',
    'affinity-weight-zero': 'Affinity weight cannot be zero',
    'affinity-weight-out-of-range': 'Affinity weight must be within the range [-100,100]',
    'spread-attribute-missing': 'Missing spread attribute',
    'spread-weight-out-of-range': 'Spread block must have a positive weight from 0 to 100',
    'spread-target-again': 'Spread target value {value} already defined',
    'spread-percentage-out-of-range':
      'Spread target percentage for value {value} must be between 0 and 100',
    'spread-percentages-too-high':
      'Sum of spread target percentages must not be greater than 100%; got {sum}%',

    'restart-mode-unknown': 'Unsupported restart mode: {mode}',
    'restart-ambiguous': 'Restart policy {mode} with 0 attempts is ambiguous',
    'restart-interval-short': 'Interval can not be less than 5s (got {interval})',
    'restart-impossible':
      "Sched can't restart the TaskGroup {attempts} times in an interval of {interval} with a delay of {delay}",

    'reschedule-interval-missing': 'Interval must be a non zero value if Attempts > 0',
    'reschedule-ambiguous':
      'Reschedule Policy with Attempts = {attempts}, Interval = {interval}, and Unlimited = true is ambiguous',
    'reschedule-unlimited': 'If Attempts >0, Unlimited cannot also be set to true',
    'reschedule-delay-short': 'Delay cannot be less than 5s (got {delay})',
    'reschedule-function-unknown': 'Invalid delay function {function}, must be one of [{known}]',
    'reschedule-ceiling-short': 'Max Delay cannot be less than 5s (got {delay})',
    'reschedule-ceiling-below-delay': 'Max Delay cannot be less than Delay {delay} (got {ceiling})',
    'reschedule-interval-short': 'Interval cannot be less than 15s (got {interval})',
    'reschedule-attempts-constant':
      'Sched can only make {attempts} attempts in {interval} with initial delay {delay} and delay function {function}',
    'reschedule-attempts-growing':
      'Sched can only make {attempts} attempts in {interval} with initial delay {delay}, delay function {function}, and delay ceiling {ceiling}',
    'reschedule-interval-needed':
      'Set the interval to at least {least} to accommodate {attempts} attempts',

    'health-check-unknown': 'Invalid health check given: {check}',
    'max-parallel-negative': 'Max parallel can not be less than zero: {value} < 0',
    'canary-negative': 'Canary count can not be less than zero: {value} < 0',
    'auto-promote-without-canary': 'Auto Promote requires a Canary count greater than zero',
    'healthy-time-negative': 'Minimum healthy time may not be less than zero: {least}',
    'healthy-deadline-missing': 'Healthy deadline must be greater than zero: {healthy}',
    'progress-deadline-negative': 'Progress deadline must be zero or greater: {progress}',
    'healthy-time-beyond-deadline':
      'Minimum healthy time must be less than healthy deadline: {least} > {healthy}',
    'healthy-deadline-beyond-progress':
      'Healthy deadline must be less than progress deadline: {healthy} > {progress}',
    'stagger-missing': 'Stagger must be greater than zero: {stagger}',
    'migrate-parallel-negative': 'MaxParallel must be >= 0 but found {value}',
    'migrate-health-check-missing': 'Missing HealthCheck',
    'migrate-health-check-unknown': 'Invalid HealthCheck: {check}',
    'migrate-healthy-time-negative': 'MinHealthyTime is {value} and must be >= 0',
    'migrate-deadline-negative': 'HealthyDeadline is {value} and must be >= 0',
    'migrate-healthy-time-beyond-deadline': 'MinHealthyTime must be less than HealthyDeadline',
  }),
)
