// Lets Karpenter itself read what `gpu-partition export karpenter` writes: its NodeOverlay controller, provisioner and scheduler, with
// the cloud provider of its own tests, here with one instance type, and a client in memory. Reads a List of objects as the API server
// has them, pods among them; prints which nodes Karpenter would order, and why none for the other pods.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/samber/lo"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	fakeclient "sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/apis/v1alpha1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/cloudprovider/fake"
	"sigs.k8s.io/karpenter/pkg/cloudprovider/overlay"
	"sigs.k8s.io/karpenter/pkg/controllers/nodeoverlay"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/test"
)

type answer struct {
	Overlays   map[string]string `json:"overlays"`
	NodeClaims []claim           `json:"nodeClaims"`
	Refused    map[string]string `json:"refused"`
}

// A node that Karpenter would order.
type claim struct {
	NodePool      string              `json:"nodePool"`
	Labels        map[string]string   `json:"labels"`
	StartupTaints []corev1.Taint      `json:"startupTaints"`
	InstanceType  string              `json:"instanceType"`
	Allocatable   corev1.ResourceList `json:"allocatable"`
	Pods          []string            `json:"pods"`
}

func main() {
	found := lo.Must(ask(lo.Must(readObjects(os.Stdin))))
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	lo.Must0(encoder.Encode(found))
}

func readObjects(input io.Reader) ([]client.Object, error) {
	list := &corev1.List{}
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	if err := runtime.DecodeInto(decoder, lo.Must(io.ReadAll(input)), list); err != nil {
		return nil, err
	}
	objects := []client.Object{}
	for _, item := range list.Items {
		object, _, err := decoder.Decode(item.Raw, nil, nil)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object.(client.Object))
	}
	return objects, nil
}

func ask(objects []client.Object) (*answer, error) {
	ctx := options.ToContext(context.Background(), test.Options(test.OptionsFields{
		FeatureGates: test.FeatureGates{NodeOverlay: lo.ToPtr(true)},
	}))
	for _, object := range objects {
		if err := prepare(ctx, object); err != nil {
			return nil, fmt.Errorf("%s: %w", object.GetName(), err)
		}
	}
	kubeClient := fakeclient.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(objects...).
		WithStatusSubresource(&v1.NodePool{}, &v1alpha1.NodeOverlay{}).
		WithIndex(&corev1.Pod{}, "spec.nodeName", func(pod client.Object) []string {
			return []string{pod.(*corev1.Pod).Spec.NodeName}
		}).Build()

	cloud := fake.NewCloudProvider()
	cloud.InstanceTypes = []*cloudprovider.InstanceType{p4d()}
	cluster := state.NewCluster(clock.RealClock{}, kubeClient, cloud)
	store := nodeoverlay.NewInstanceTypeStore()
	controller := nodeoverlay.NewController(clock.RealClock{}, kubeClient, cloud, store, cluster)
	if _, err := controller.Reconcile(ctx, reconcile.Request{}); err != nil {
		return nil, err
	}
	provider := overlay.Decorate(cloud, kubeClient, store)
	provisioner := provisioning.NewProvisioner(kubeClient, test.NewEventRecorder(), provider, cluster, clock.RealClock{}, nil)
	results, err := provisioner.Schedule(ctx)
	if err != nil {
		return nil, err
	}

	found := &answer{Overlays: map[string]string{}, NodeClaims: []claim{}, Refused: map[string]string{}}
	overlays := &v1alpha1.NodeOverlayList{}
	if err := kubeClient.List(ctx, overlays); err != nil {
		return nil, err
	}
	for _, one := range overlays.Items {
		condition := one.StatusConditions().Get(v1alpha1.ConditionTypeValidationSucceeded)
		found.Overlays[one.Name] = fmt.Sprintf("%s %s", condition.Status, condition.Reason)
	}
	for pod, err := range results.PodErrors {
		found.Refused[pod.Name] = err.Error()
	}
	for _, order := range results.NewNodeClaims {
		name, err := provisioner.Create(ctx, order)
		if err != nil {
			return nil, err
		}
		created := &v1.NodeClaim{}
		if err := kubeClient.Get(ctx, client.ObjectKey{Name: name}, created); err != nil {
			return nil, err
		}
		for _, instanceType := range order.InstanceTypeOptions {
			found.NodeClaims = append(found.NodeClaims, claim{
				NodePool:      order.NodePoolName,
				Labels:        created.Labels,
				StartupTaints: created.Spec.StartupTaints,
				InstanceType:  instanceType.Name,
				Allocatable:   instanceType.Allocatable(),
				Pods:          lo.Map(order.Pods, func(pod *corev1.Pod, _ int) string { return pod.Name }),
			})
		}
	}
	return found, nil
}

// prepare does what kube-scheduler and Karpenter's other controllers would have done.
func prepare(ctx context.Context, object client.Object) error {
	switch one := object.(type) {
	case *v1.NodePool:
		if err := one.RuntimeValidate(ctx); err != nil {
			return err
		}
		one.StatusConditions().SetTrue(v1.ConditionTypeValidationSucceeded)
		one.StatusConditions().SetTrue(v1.ConditionTypeNodeClassReady)
	case *corev1.Pod:
		one.Status.Conditions = []corev1.PodCondition{
			{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable},
		}
	}
	return nil
}

func p4d() *cloudprovider.InstanceType {
	return fake.NewInstanceType("p4d.24xlarge", fake.WithResources(corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("96"),
		corev1.ResourceMemory: resource.MustParse("1152Gi"),
		corev1.ResourcePods:   resource.MustParse("234"),
		"nvidia.com/gpu":      resource.MustParse("8"),
	}))
}
