{{- define "gpu-partition.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag }}{{ end }}
{{- end -}}
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
