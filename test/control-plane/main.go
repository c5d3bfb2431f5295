// Command control-plane is Kubernetes' own control plane in one program, and a kubelet: etcd, kube-apiserver,
// kube-controller-manager, kube-scheduler, kubelet and kubectl. It runs the one that it is called as, through a
// link of that name or by its first argument. One program instead of six shares the libraries, which
// makes the build and the download a third of the size.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	_ "k8s.io/client-go/plugin/pkg/client/auth"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

var components = map[string]func(){
	"etcd":                    func() { etcdmain.Main(os.Args) },
	"kube-apiserver":          run(apiserver.NewAPIServerCommand),
	"kube-controller-manager": run(controllermanager.NewControllerManagerCommand),
	"kube-scheduler":          run(func() *cobra.Command { return scheduler.NewSchedulerCommand() }),
	"kubelet":                 run(func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) }),
	"kubectl":                 run(func() *cobra.Command { return kubectl.NewDefaultKubectlCommand() }),
}

func run(newCommand func() *cobra.Command) func() {
	return func() { os.Exit(cli.Run(newCommand())) }
}

func main() {
	name := filepath.Base(os.Args[0])
	if _, ok := components[name]; !ok && len(os.Args) > 1 {
		os.Args = os.Args[1:]
		name = os.Args[0]
	}
	start, ok := components[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "unknown component %q; known: %s\n", name, strings.Join(names(), ", "))
		os.Exit(2)
	}
	start()
}

func names() []string {
	var all []string
	for name := range components {
		all = append(all, name)
	}
	sort.Strings(all)
	return all
}
