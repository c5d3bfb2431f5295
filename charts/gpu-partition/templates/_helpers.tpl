{{- define "gpu-partition.fullname" -}}
{{- .Values.fullnameOverride | default .Values.nameOverride | default "gpu-partition" -}}
{{- end -}}
{{- define "gpu-partition.controllerAccount" -}}
{{- .Values.controller.serviceAccount.name | default (printf "%s-controller" (include "gpu-partition.fullname" .)) -}}
{{- end -}}
{{- define "gpu-partition.agentAccount" -}}
{{- .Values.agent.serviceAccount.name | default (printf "%s-agent" (include "gpu-partition.fullname" .)) -}}
{{- end -}}
{{- define "gpu-partition.image" -}}
{{- with (.Values.global).imageRegistry | default .Values.image.registry }}{{ . }}/{{ end -}}
{{- with .Values.image -}}
{{- $released := index ($.Chart.Annotations | default dict) "gpupartition.dev/image-digest" -}}
{{- $digest := .digest | default (ternary "" $released (ne (.tag | default "") "")) -}}
{{ .repository }}{{ if $digest }}@{{ $digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end -}}
{{- define "gpu-partition.pullSecrets" -}}
{{- with concat ((.Values.global).imagePullSecrets | default list) (.Values.imagePullSecrets | default list) }}
imagePullSecrets:
  {{- range . }}
  - name: {{ if kindIs "string" . }}{{ quote . }}{{ else }}{{ quote .name }}{{ end }}
  {{- end }}
{{- end }}
{{- end -}}
{{- define "gpu-partition.driverPath" -}}
{{- $path := .Values.agent.driverFolder.path -}}
{{- range .Values.agent.driverRoots -}}
{{- if and (not $path) (not (hasPrefix "/proc/" .)) }}{{ $path = . }}{{ end -}}
{{- end -}}
{{- $path | default "/run/nvidia/driver" -}}
{{- end -}}
{{- define "gpu-partition.pull" -}}
{{- with .Values.image.pullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
{{- end -}}
{{- define "gpu-partition.tolerations" -}}
# A node that the controller has closed, or shall open for the first time, may be the cluster's only one.
tolerations:
  - {key: gpupartition.dev/repartitioning, operator: Exists, effect: NoSchedule}
  - {key: gpupartition.dev/uninitialized, operator: Exists, effect: NoSchedule}
  - {key: startup-taint.cluster-autoscaler.kubernetes.io/gpupartition, operator: Exists, effect: NoSchedule}
{{- with .Values.controller.tolerations }}
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
